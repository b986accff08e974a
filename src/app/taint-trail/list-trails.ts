import { TrailCatalogue } from '../../storage/taint-trail/trail-catalogue.js';
import type { AnswerTo } from '../../contract/question.js';
import type { listTrails } from '../../contract/taint-trail/questions.js';
import { pageOf } from '../paging/page.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';

/** Lists the trails that the caller may audit, by cluster name, then oldest first. */
export class ListTrails {
  constructor(private readonly catalogue: TrailCatalogue) {}

  /** @throws {ServiceError} `invalid-continue-token` */
  async run(
    { page }: RequestOf<typeof listTrails>,
    { access }: Pick<RequestContext, 'access'>,
  ): Promise<AnswerTo<typeof listTrails>> {
    const all = (await this.catalogue.list()).filter(({ cluster }) => access.may('audit', cluster));
    const sorted = all
      .map((trail) => ({ trail, key: `${trail.cluster}\0${String(trail.clusterId).padStart(19, '0')}` }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const sortedPage = pageOf(sorted, ({ key }) => key, page, ['taint-trails']);
    return { page: { ...sortedPage, items: sortedPage.items.map(({ item, token }) => ({ item: item.trail, token })) } };
  }
}
