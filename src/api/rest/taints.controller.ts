import { Controller, Get, Param, Query } from '@nestjs/common';
import { AcrossClusters } from '../../app/across-clusters.js';
import type { RequestContext } from '../../app/request-context.js';
import { ListTaintSets } from '../../app/taints/list-taint-sets.js';
import { ReadTaintCatalogue } from '../../app/taints/read-taint-catalogue.js';
import { TakeTaintInventory } from '../../app/taints/take-taint-inventory.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission, RequireCaller } from '../require-permission.js';
import { Operation } from '../operation.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { TaintKeyShape, TaintSetShape } from '../shapes/taint-shape.js';
import { WellKnownTaintShape, wellKnownTaintShape } from '../shapes/well-known-taint-shape.js';
import { acrossRequest, askEach, ClusterAnswerShape } from './across-answer.js';
import { AcrossQuery } from './across-query.js';
import { API_PREFIX } from './api-prefix.js';
import * as examples from './inventory-examples.js';
import { PageQuery, pageRequest, PageShape, pageShape } from './page-query.js';
import { listRequest, ReadPageQuery } from './read-at-query.js';
import { LIST_ERRORS } from './read-errors.js';
import { ReadPageShape, readPageShape } from './read-page-shape.js';

class TaintSetListShape extends ReadPageShape {
  @Shown({ type: () => TaintSetShape, list: true, description: 'The lists, the most frequent first.' })
  items!: Plain<TaintSetShape>[];
}

class TaintInventoryShape extends ReadPageShape {
  @Shown({ type: () => TaintKeyShape, list: true, description: 'By key.' })
  items!: Plain<TaintKeyShape>[];
}

class ClusterTaintsShape extends ClusterAnswerShape {
  @Shown({
    type: () => TaintInventoryShape,
    optional: true,
    description: 'What this cluster says; null with an error.',
  })
  answer!: Plain<TaintInventoryShape> | null;
}

class TaintsAcrossShape extends PageShape {
  @Shown({ type: () => ClusterTaintsShape, list: true, description: 'Cluster by cluster, by name.' })
  items!: Plain<ClusterTaintsShape>[];
}

class CatalogueQuery extends PageQuery {
  @Given({
    type: 'string',
    optional: true,
    description: 'Only what explains this key; nothing where nobody here knows it.',
    example: 'node.kubernetes.io/not-ready',
  })
  key?: string;
}

class CatalogueShape extends PageShape {
  @Shown({ type: () => WellKnownTaintShape, list: true, description: 'The entries.' })
  items!: Plain<WellKnownTaintShape>[];
}

const INVENTORY = { basis: examples.BASIS, items: [examples.TAINT_KEY], ...examples.END };

@Controller(API_PREFIX)
export class TaintsController {
  constructor(
    private readonly listTaintSets: ListTaintSets,
    private readonly takeTaintInventory: TakeTaintInventory,
    private readonly readTaintCatalogue: ReadTaintCatalogue,
    private readonly acrossClusters: AcrossClusters,
  ) {}

  @Get('clusters/:cluster/taint-sets')
  @RequirePermission('read')
  @Operation({
    summary: 'List the distinct lists of taints',
    description:
      'Each distinct list of taints with the number of nodes that carry exactly it, untainted nodes included.',
    query: ReadPageQuery,
    parameters: { cluster: 'example', limit: 10 },
    answers: [
      {
        status: 200,
        description: 'A page of them, the most frequent first.',
        shape: TaintSetListShape,
        example: { basis: examples.BASIS, items: [examples.TAINT_SET], ...examples.END },
      },
    ],
    errors: LIST_ERRORS,
  })
  async sets(
    @Param('cluster') cluster: string,
    @Query() query: ReadPageQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TaintSetListShape>> {
    return readPageShape(await this.listTaintSets.run(listRequest(cluster, query), edge));
  }

  @Get('clusters/:cluster/taints')
  @RequirePermission('read')
  @Operation({
    summary: 'Take the inventory of taints',
    description:
      'The taints of a cluster by key: values, effects, nodes, what is known of the key, and who tolerates it.',
    query: ReadPageQuery,
    parameters: { cluster: 'example', limit: 10 },
    answers: [{ status: 200, description: 'A page of keys.', shape: TaintInventoryShape, example: INVENTORY }],
    errors: LIST_ERRORS,
  })
  async inventory(
    @Param('cluster') cluster: string,
    @Query() query: ReadPageQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TaintInventoryShape>> {
    return readPageShape(await this.takeTaintInventory.run(listRequest(cluster, query), edge));
  }

  @Get('taints')
  @RequirePermission('read', 'each')
  @Operation({
    summary: 'Take the inventory of taints of several clusters',
    description: 'The inventory of each cluster that a selector picks, with its own basis, or with its own error.',
    query: AcrossQuery,
    parameters: { clusterSelector: 'env=prod', limit: 10 },
    answers: [
      {
        status: 200,
        description: 'A page of clusters.',
        shape: TaintsAcrossShape,
        example: { items: [{ cluster: 'example', answer: INVENTORY, error: null }], ...examples.END },
      },
    ],
    errors: ['invalid-continue-token'],
  })
  async inventoryAcross(@Query() query: AcrossQuery, @Ctx() edge: RequestContext): Promise<Plain<TaintsAcrossShape>> {
    const { request, each } = acrossRequest(query, ['taints']);
    const page = await askEach(this.acrossClusters, request, edge, async (cluster) =>
      readPageShape(await this.takeTaintInventory.run({ cluster, ...each }, edge)),
    );
    return pageShape(page, (answer) => answer);
  }

  @Get('well-known-taints')
  @RequireCaller()
  @Operation({
    summary: 'Read the catalogue of well-known taints',
    description:
      'The taint keys that Kubernetes and widely used products set, legacy ones included: who sets them, when, with which ' +
      'effect, since and until which version, and who takes them off. Kubernetes itself compares keys as plain strings.',
    query: CatalogueQuery,
    parameters: { key: 'node.kubernetes.io/not-ready' },
    answers: [
      {
        status: 200,
        description: 'A page of entries.',
        shape: CatalogueShape,
        example: { items: [examples.WELL_KNOWN], ...examples.END },
      },
    ],
    errors: ['invalid-continue-token'],
  })
  catalogue(@Query() query: CatalogueQuery): Plain<CatalogueShape> {
    const page = this.readTaintCatalogue.run({ key: query.key, page: pageRequest(query) });
    return pageShape(page, wellKnownTaintShape);
  }
}
