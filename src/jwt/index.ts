export { TOKEN_RULES } from './token-rules.js';
export type { TokenRule } from './token-rules.js';
export { createTokenValidator } from './token-validator.js';
export type { TokenValidatorOptions } from './token-validator.js';
