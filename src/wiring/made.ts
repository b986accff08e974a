import type { FactoryProvider, InjectionToken } from '@nestjs/common';

type Class<Arguments extends unknown[], Instance> = new (...given: Arguments) => Instance;
/** The injection tokens for a constructor's arguments, in order: a class for each. */
type Tokens<Arguments extends unknown[]> = {
  [Index in keyof Arguments]: abstract new (...given: never[]) => Arguments[Index];
};

/** Registers a class that is independent of Nest, with the tokens of its constructor's arguments. */
export function made<Arguments extends unknown[], Instance>(
  type: Class<Arguments, Instance>,
  ...tokens: Tokens<Arguments>
): FactoryProvider {
  return { provide: type, inject: tokens as InjectionToken[], useFactory: (...given: Arguments) => new type(...given) };
}
