import { Field, ID, InterfaceType } from '@nestjs/graphql';

/** Relay's interface. An object that was found by its id says of which type it is. */
@InterfaceType('Node', {
  description: 'An object that can be read again by its id.',
  resolveType: (value: { readonly __typename: string }) => value.__typename,
})
export abstract class NodeInterface {
  @Field(() => ID, { description: 'Names the object among all objects; opaque. For `node` and `nodes`.' })
  id!: string;
}
