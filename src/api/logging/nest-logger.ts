import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Nest's own words in the service's log. */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: Logger) {}

  /** What Nest says of its start is of interest only to who looks for it. */
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

  /** Nest gives the context last, and for errors the stack before it. */
  private write(level: 'debug' | 'error' | 'warn' | 'trace', message: unknown, rest: unknown[]): void {
    const context = typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
    if (message instanceof Error) this.pino[level]({ context, err: message }, message.message);
    else this.pino[level]({ context }, typeof message === 'string' ? message : 'see the fields');
  }
}
