import { addMember, type DeclaredMember } from './object-classes.js';

export { propertiesByName, propertiesOf, type PropertyInfo, type PropertyOptions } from './object-classes.js';

/** Declares a property of a response for GraphQL and for OpenAPI. */
export function ResponseField(options: DeclaredMember): PropertyDecorator {
  return (prototype, key) => {
    addMember(prototype, key as string, options, 'response');
  };
}

/** Declares a property of a request; like `ResponseField`, with validation. */
export function RequestField(options: DeclaredMember): PropertyDecorator {
  return (prototype, key) => {
    addMember(prototype, key as string, options, 'request');
  };
}
