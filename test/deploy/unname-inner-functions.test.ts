import { expect, it } from '@jest/globals';

const SCRIPT = '../../scripts/unname-inner-functions.mjs';
const { unnameInnerFunctions } = (await import(SCRIPT)) as { readonly unnameInnerFunctions: (code: string) => string };

const squeezed = (code: string): string => unnameInnerFunctions(code).replace(/\s+/g, ' ');

it('leaves functions within functions as they are written', () => {
  expect(squeezed('var f = __name(() => { const g = __name((x) => x, "g"); return g; }, "f");')).toBe(
    'var f = __name(() => { const g = ((x) => x ); return g; }, "f");',
  );
  expect(squeezed('function f() { function g() {} __name(g, "g"); return g; } __name(f, "f");')).toBe(
    'function f() { function g() {} return g; } __name(f, "f");',
  );
});

it('keeps the names of classes, wherever they are made', () => {
  const code = 'function made() { return class A { static { __name(this, "B"); } }; }';
  expect(unnameInnerFunctions(code)).toBe(code);
});

it('leaves modules of packages alone', () => {
  const code = 'var lib = __commonJS({ "lib.js"(exports) { function A2() {} __name(A2, "A"); exports.A = A2; } });';
  expect(unnameInnerFunctions(code)).toBe(code);
});

it('leaves every other character in its place', () => {
  const code = 'function f() { return __name((x) => x + 1, "g")(1); }';
  const made = unnameInnerFunctions(code);
  expect(made).toHaveLength(code.length);
  expect(made.indexOf('x + 1')).toBe(code.indexOf('x + 1'));
});
