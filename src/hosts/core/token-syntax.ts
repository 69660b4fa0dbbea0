/** What a service token may be made of: visible ASCII characters without the comma, with which repeated headers are joined. */
export const TOKEN_SYNTAX = /^[\x21-\x2b\x2d-\x7e]+$/;
