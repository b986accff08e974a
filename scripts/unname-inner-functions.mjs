/**
 * esbuild keeps the names of functions and classes, which Nest and TypeORM need of classes, by defining each function's name when it is
 * made. That costs about half a microsecond and a hidden class of its own, a hundred times for each placement, for functions that are
 * made within others. These are left as they are written: V8 names them after their variables.
 */
import ts from 'typescript';

/** Modules of packages that are not ES modules: their functions are made once. */
const WRAPPERS = new Set(['__commonJS', '__esm']);

/** @param code a file that esbuild bundled with `keepNames` @returns the same with blanks in place of the definitions, so that places stay */
export function unnameInnerFunctions(code) {
  const file = ts.createSourceFile('bundle.js', code, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS);
  const blanks = [];
  const visit = (node, isInner) => {
    if (isCallOf(node, WRAPPERS)) return;
    if (isInner && isCallOf(node, NAME) && isFunction(node.arguments[0])) {
      const [named, name] = node.arguments;
      blanks.push([node.expression.getStart(file), node.expression.end], [named.end, name.end]);
    }
    if (isInner && ts.isExpressionStatement(node) && isCallOf(node.expression, NAME)) {
      const [named] = node.expression.arguments;
      if (ts.isIdentifier(named)) blanks.push([node.getStart(file), node.end]);
    }
    const isWithin = isInner || ts.isFunctionLike(node);
    ts.forEachChild(node, (child) => visit(child, isWithin));
  };
  visit(file, false);
  let from = 0;
  const parts = [];
  for (const [start, end] of blanks.sort((a, b) => a[0] - b[0])) {
    parts.push(code.slice(from, start), ' '.repeat(end - start));
    from = end;
  }
  return parts.join('') + code.slice(from);
}

const NAME = new Set(['__name']);

const isCallOf = (node, names) =>
  ts.isCallExpression(node) && ts.isIdentifier(node.expression) && names.has(node.expression.text);

const isFunction = (node) => ts.isArrowFunction(node) || ts.isFunctionExpression(node);
