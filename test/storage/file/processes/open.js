// The storage of these tests, in a process of its own.
import { FileStorage } from '../../../../dist/storage/index.js';

export const openStorage = (directory) => FileStorage.open({ directory, key: new Uint8Array(32).fill(7) });
export const bytes = (text) => new TextEncoder().encode(text);
export const text = (value) => value && new TextDecoder().decode(value);
