import type { Page } from '../../contract/page.js';
import type { Basis } from '../../app/reads/basis.js';
import { BasisShape } from '../shapes/basis-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Shown } from '../shapes/property.js';
import { PageShape, pageShape } from './page-query.js';

/** A page of a list that rests on a revision. */
export class ReadPageShape extends PageShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;
}

/** The items of a page are the views of the use case as they are. */
export function readPageShape<Item>({
  basis,
  page,
}: {
  readonly basis: Basis;
  readonly page: Page<Item>;
}): Plain<ReadPageShape> & { items: Item[] } {
  return { basis, ...pageShape(page, (item) => item) };
}
