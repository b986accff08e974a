import type { GraphQLSchema } from 'graphql';

const DESCRIPTIONS = {
  Query: 'What can be asked. A field that fails is null, with an entry in `errors`.',
  Mutation:
    'What can be changed. Mutations of one request are made one after another; one that fails leaves the others as they are.',
  Subscription: 'What can be followed, over a WebSocket with the protocol graphql-transport-ws.',
};

/** Describes the root types, which Nest makes by itself. */
export function describeRoots(schema: GraphQLSchema): GraphQLSchema {
  for (const [name, description] of Object.entries(DESCRIPTIONS)) {
    const type = schema.getType(name);
    if (type !== undefined) type.description = description;
  }
  return schema;
}
