import { Field, ID, InterfaceType } from '@nestjs/graphql';

/** Relay's interface for objects with a global id. */
@InterfaceType('Node', {
  description: 'An object that can be read by its id.',
  resolveType: (value: { readonly __typename: string }) => value.__typename,
})
export abstract class NodeInterface {
  @Field(() => ID, { description: 'Opaque, globally unique id, for `node` and `nodes`.' })
  id!: string;
}
