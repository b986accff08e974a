import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Writes Nest's log messages to the service's log. */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: Logger) {}

  /** Nest's messages about its startup are logged at the debug level. */
  log(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /** Nest passes the context last, and for errors the stack before it. */
  private write(level: 'debug' | 'error' | 'warn' | 'trace', message: unknown, rest: unknown[]): void {
    const context = typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
    if (message instanceof Error) this.pino[level]({ context, err: message }, message.message);
    else this.pino[level]({ context }, typeof message === 'string' ? message : 'see the fields');
  }
}
