import { describe, expect, it } from '@jest/globals';
import { junitXml } from './junit.js';

describe('a JUnit report', () => {
  it('has counts, properties and one element for each case', () => {
    const text = junitXml([
      {
        name: 'prod',
        timestamp: '2026-05-04T03:02:01Z',
        properties: { revision: '7' },
        cases: [
          { classname: 'expectations', name: 'holds', time: 0.25 },
          { classname: 'expectations', name: 'broken', failure: { type: 'broken', message: 'no', text: 'why' } },
          { classname: 'expectations', name: 'unknown', error: { type: 'unknown', message: 'not known' } },
          { classname: 'expectations', name: 'skipped', skipped: 'later', output: 'said' },
        ],
      },
    ]);
    expect(text).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<testsuites tests="4" failures="1" errors="1" skipped="1">',
        '  <testsuite name="prod" timestamp="2026-05-04T03:02:01Z" tests="4" failures="1" errors="1" skipped="1">',
        '    <properties>',
        '      <property name="revision" value="7"/>',
        '    </properties>',
        '    <testcase classname="expectations" name="holds" time="0.250"/>',
        '    <testcase classname="expectations" name="broken">',
        '      <failure type="broken" message="no">why</failure>',
        '    </testcase>',
        '    <testcase classname="expectations" name="unknown">',
        '      <error type="unknown" message="not known"></error>',
        '    </testcase>',
        '    <testcase classname="expectations" name="skipped">',
        '      <skipped message="later"/>',
        '      <system-out>said</system-out>',
        '    </testcase>',
        '  </testsuite>',
        '</testsuites>',
        '',
      ].join('\n'),
    );
  });

  it('escapes markup and line breaks, and replaces what XML cannot contain', () => {
    const [line] = junitXml([{ name: 'a<b>&"c"\n\u0000\u001b\ud800', cases: [] }]).match(/<testsuite .*>/) ?? [];
    expect(line).toContain('name="a&lt;b&gt;&amp;&quot;c&quot;&#10;\ufffd\ufffd\ufffd"');
  });
});
