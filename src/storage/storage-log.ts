/** Logs messages about the storage, without passwords and contents of objects. */
export type StorageLog = (level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>) => void;
