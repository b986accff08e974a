/** What the service tells of its storage while it runs, for the log. Never carries a password or an object's content. */
export type StorageLog = (level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>) => void;
