/**
 * The properties of a shape's class, without the class: what a mapper gives back is a plain object of that form. The
 * classes exist for their decorators; nobody makes instances of the answers.
 */
export type Plain<Shape> = { [Key in keyof Shape]: Shape[Key] };
