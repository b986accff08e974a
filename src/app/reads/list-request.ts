import type { PageRequest } from '../../contract/page.js';
import type { ReadAt } from './read-at.js';

/** A page of a list of one cluster, without further filters. */
export interface ListRequest {
  readonly cluster: string;
  readonly readAt: ReadAt;
  readonly page: PageRequest;
}
