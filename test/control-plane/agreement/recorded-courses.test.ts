import { beforeAll, describe, expect, it } from '@jest/globals';
import { settingOf, THE_ONE } from '../../../src/core/cluster/setting.js';
import { judgeCourse, type Course } from './course.js';
import { readCourses } from './recorded-courses.js';

/** 300 random pods on 80 random nodes, as kube-scheduler v1.36.2 decided about them. */
const RECORDED = 'test/control-plane/agreement/recorded';

describe('the decisions of a real scheduler about random pods', () => {
  let course: Course;
  beforeAll(async () => {
    [course] = (await readCourses([RECORDED])) as [Course];
  });

  it.each(['event', 'batch'] as const)('agree, each %s by itself', (step) => {
    const { decisions, counts, notAgreed } = judgeCourse(course, step);
    expect(decisions).toBe(300);
    expect(notAgreed).toEqual([]);
    expect(counts).toMatchObject({ filter: { agreed: 281 }, score: { agreed: 279 }, message: { agreed: 19 } });
  });

  it('disagree with a scheduler that is configured otherwise', () => {
    const apiVersion = 'kubescheduler.config.k8s.io/v1';
    const disabled = [{ name: 'TaintToleration' }];
    const profiles = [{ schedulerName: 'default-scheduler', plugins: { multiPoint: { disabled } } }];
    const content = { apiVersion, kind: 'KubeSchedulerConfiguration', profiles };
    const other = judgeCourse(course, 'event', [settingOf('SchedulerConfiguration', THE_ONE, content)]);
    expect(other.counts.score.disagreed).toBeGreaterThan(20);
    expect(other.counts.message.disagreed).toBeGreaterThan(5);
    expect(other.counts.filter.disagreed).toBe(0);
  });
});
