import type { FactoryProvider, InjectionToken } from '@nestjs/common';

type Class<Arguments extends unknown[], Instance> = new (...given: Arguments) => Instance;
/** The tokens for a constructor's arguments, one for one: a class for each of its own kind. */
type Tokens<Arguments extends unknown[]> = {
  [Index in keyof Arguments]: abstract new (...given: never[]) => Arguments[Index];
};

/** A class that knows nothing of Nest, with what its constructor takes. */
export function made<Arguments extends unknown[], Instance>(
  type: Class<Arguments, Instance>,
  ...needs: Tokens<Arguments>
): FactoryProvider {
  return { provide: type, inject: needs as InjectionToken[], useFactory: (...given: Arguments) => new type(...given) };
}
