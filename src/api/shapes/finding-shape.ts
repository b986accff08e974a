import { InputType } from '@nestjs/graphql';
import {
  finding,
  findingCounts,
  manifestFindings,
  manifestFindingsRequest,
  clusterManifestFindingsRequest,
} from '../../contract/findings/finding.js';
import { responseClass, requestClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const FindingShape = responseClass(finding);
export type FindingShape = Response<typeof finding>;

export const FindingCountsShape = responseClass(findingCounts);
export type FindingCountsShape = Response<typeof findingCounts>;

export const ManifestFindingsShape = responseClass(manifestFindings);
export type ManifestFindingsShape = Response<typeof manifestFindings>;

@InputType({ isAbstract: true })
export class ManifestFindingsBody extends requestClass(manifestFindingsRequest) {}

@InputType({ isAbstract: true })
export class ClusterManifestFindingsBody extends requestClass(clusterManifestFindingsRequest) {}
