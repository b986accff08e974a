import { Kind, type ASTVisitor, type FieldNode, type SelectionSetNode, type ValidationRule } from 'graphql';
import { GRAPHQL_LIMITS } from './limits.js';
import { limitError } from './limit-error.js';

/** Rejects documents with too many aliases, directives or root fields. */
export const widthRule: ValidationRule = (context): ASTVisitor => {
  let aliases = 0;
  let directives = 0;
  return {
    Field: (node: FieldNode) => {
      if (node.alias !== undefined) aliases += 1;
    },
    Directive: () => {
      directives += 1;
    },
    OperationDefinition: ({ selectionSet }) => {
      const count = rootFields(selectionSet, (name) => context.getFragment(name)?.selectionSet, new Set());
      if (count > GRAPHQL_LIMITS.rootFields) {
        context.reportError(
          limitError(`The operation has ${count} root fields; at most ${GRAPHQL_LIMITS.rootFields} are allowed.`),
        );
      }
    },
    Document: {
      leave: () => {
        report('aliases', aliases, GRAPHQL_LIMITS.aliases);
        report('directives', directives, GRAPHQL_LIMITS.directives);
      },
    },
  };

  function report(what: string, count: number, most: number): void {
    if (count > most) context.reportError(limitError(`The query has ${count} ${what}; at most ${most} are allowed.`));
  }
};

/** Counts root fields, including those of fragments, each fragment once. */
function rootFields(
  { selections }: SelectionSetNode,
  fragment: (name: string) => SelectionSetNode | undefined,
  seen: Set<string>,
): number {
  let count = 0;
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) count += 1;
    else if (selection.kind === Kind.INLINE_FRAGMENT) count += rootFields(selection.selectionSet, fragment, seen);
    else if (!seen.has(selection.name.value)) {
      seen.add(selection.name.value);
      const set = fragment(selection.name.value);
      if (set !== undefined) count += rootFields(set, fragment, seen);
    }
  }
  return count;
}
