/**
 * The properties of a response class as a plain object type. The classes exist for their decorators; nobody
 * instantiates them.
 */
export type Plain<Type> = { [Key in keyof Type]: Type[Key] };
