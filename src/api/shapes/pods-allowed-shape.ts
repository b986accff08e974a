import { InputType } from '@nestjs/graphql';
import { allowedPods, allowedCounts, podsAllowedHead, podsAllowedRequest } from '../../contract/pods/pods-allowed.js';
import { responseClass, requestClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const AllowedEntryShape = responseClass(allowedPods);
export type AllowedEntryShape = Response<typeof allowedPods>;

export const AllowedCountsShape = responseClass(allowedCounts);
export type AllowedCountsShape = Response<typeof allowedCounts>;

export const PodsAllowedHeadShape = responseClass(podsAllowedHead);
export type PodsAllowedHeadShape = Response<typeof podsAllowedHead>;

@InputType({ isAbstract: true })
export class PodsAllowedBody extends requestClass(podsAllowedRequest) {}
