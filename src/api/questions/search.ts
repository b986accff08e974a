import { SearchClusters } from '../../app/search/search-clusters.js';
import { search } from '../../contract/search/search.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const SEARCH_QUESTIONS: readonly AnyAnswered[] = [answeredBy(search, SearchClusters)];
