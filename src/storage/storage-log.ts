/** Log messages about the storage. Never carries a password or an object's content. */
export type StorageLog = (level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>) => void;
