import { addMember, type DeclaredMember } from './object-classes.js';

export { propertiesOf, type PropertyInfo, type PropertyOptions } from './object-classes.js';

/** A property of an answer: one declaration for GraphQL and for OpenAPI. */
export function ResponseField(options: DeclaredMember): PropertyDecorator {
  return (prototype, key) => {
    addMember(prototype, key as string, options, 'response');
  };
}

/** A property of a request: as `Shown`, and checked when a request arrives. */
export function RequestField(options: DeclaredMember): PropertyDecorator {
  return (prototype, key) => {
    addMember(prototype, key as string, options, 'request');
  };
}
