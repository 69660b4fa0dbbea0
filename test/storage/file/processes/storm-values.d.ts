export const KEYS: readonly string[];
export function valueOf(key: string, number: number): Uint8Array | undefined;
