import { BREAK, Kind, visit, type DocumentNode } from 'graphql';

const verdicts = new WeakMap<DocumentNode, boolean>();

/**
 * Whether graphql-jit may compile this document.
 *
 * graphql-jit 0.8 writes the arguments of a query into the source of a function: a string literal that contains its own
 * marker is executed as code, a key `__proto__` changes the prototype, and an integer beyond 2^53 makes it throw. Only
 * documents without such literals are compiled; variables are not affected. Mercurius also keeps one compiled operation
 * for a document, whichever one the next request names, so only documents with a single operation are compiled.
 */
export function isCompilable(document: DocumentNode): boolean {
  const known = verdicts.get(document);
  if (known !== undefined) return known;
  let harmless = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length === 1;
  const refuse = (): typeof BREAK => {
    harmless = false;
    return BREAK;
  };
  visit(document, {
    [Kind.STRING]: ({ value }) => (/^[\w .,:=/!()-]*$/.test(value) && !value.includes('__') ? undefined : refuse()),
    [Kind.OBJECT]: refuse,
    [Kind.INT]: ({ value }) => (Number.isSafeInteger(Number(value)) ? undefined : refuse()),
    [Kind.FLOAT]: refuse,
  });
  verdicts.set(document, harmless);
  return harmless;
}
