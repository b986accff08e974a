import type { GraphQLSchema } from 'graphql';

const DESCRIPTIONS = {
  Query: 'Read operations. A field that fails is null, with an entry in `errors`.',
  Mutation:
    'Write operations. The mutations of a request run one after another; if one fails, the others are not affected.',
  Subscription: 'Event streams, over a WebSocket with the protocol graphql-transport-ws.',
};

/** Adds descriptions to the root types, which Nest creates without any. */
export function describeRoots(schema: GraphQLSchema): GraphQLSchema {
  for (const [name, description] of Object.entries(DESCRIPTIONS)) {
    const type = schema.getType(name);
    if (type !== undefined) type.description = description;
  }
  return schema;
}
