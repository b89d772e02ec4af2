import { expect, test } from 'vitest'
import { likelyRepair } from '../../src/document/likely-repair.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { stepTypes as realTypes } from '../../src/steps/index.ts'
import { written } from './fixtures.ts'
import { stepTypes } from './step-types.ts'

const DOCUMENT = `version: 1
name: nightly
inputs:
  file: { type: file, default: people.csv }
  name: { type: string, default: People }
triggers:
  - id: night
    schedule: { cron: "0 2 * * *", timezone: Europe/Berlin }
steps:
  - id: upload
    uses: files.upload
    with: { file: "\${{ inputs.file }}", uploadSignal: BGID, resultContent: BGID }
  - id: segment
    uses: segments.create
    with:
      segmentFileName: \${{ steps.upload.outputs.name }}
      participantSegmentId: people
      segmentName: "\${{ inputs.name }}"
      uploadSignal: BGID
      resultContent: BGID
`
const NAME = `segmentName: "\${{ inputs.name }}"`
const SCHEDULE = 'schedule: { cron: "0 2 * * *", timezone: Europe/Berlin }'
const SEGMENT = '    uses: segments.create'
const atSegment = (line: string) => `    ${line}\n${SEGMENT}`

const duration = 'error wrong-value: timeout must be a duration such as 500ms, 30s, 15m, 2h or 7d'
const syntax = 'error yaml-syntax'
const quotesNeeded = `${syntax}: without quotes, the * at the beginning has a special meaning in YAML`

test('the document without a mistake has no problem', () => {
  expect(loadPipeline({ text: DOCUMENT, file: 'p.yaml', stepTypes }).diagnostics).toEqual([])
})

test.each([
  // YAML
  [
    '  - id: segment',
    '    id: segment',
    '13:5+2 error duplicate-key: the key id is in this item twice | begin the next item with a dash: - id: …',
  ],
  ['steps:\n', 'steps\n', `9:1+5 ${syntax}: steps is not a key with a value | write a colon after the key: steps:`],
  ['cron: "0 2 * * *"', 'cron: * 2 * * *', `8:23+9 ${quotesNeeded} | write "* 2 * * *"`],
  [SCHEDULE, 'schedule:\n      cron: */5 * * * *', `9:13+11 ${quotesNeeded} | write "*/5 * * * *"`],
  [
    NAME,
    'segmentName: the "best" of 1: all',
    `18:20+20 ${syntax}: without quotes, the colon in the text makes it a key and its value | write 'the "best" of 1: all'`,
  ],
  [
    NAME,
    'segmentName: "the "best" people"',
    `18:20+19 ${syntax}: the text ends early, at the " inside it | write 'the "best" people'`,
  ],
  [
    NAME,
    "segmentName: 'the people's choice'",
    `18:20+21 ${syntax}: the text ends early, at the ' inside it | write "the people's choice"`,
  ],
  [
    NAME,
    `segmentName: "\${{ inputs["name"] }}"`,
    `18:20+23 ${syntax}: the text ends early, at the " inside it | write '\${{ inputs["name"] }}'`,
  ],
  [
    'uploadSignal: BGID, resultContent',
    'uploadSignal: BGID resultContent',
    `12:55+4 ${syntax}: there is no comma before resultContent | write BGID, resultContent: …`,
  ],
  [
    NAME,
    'segmentName: “People”',
    '18:20+8 warning typographic-quotes: the quotes “ and ” are part of the text | write "People"',
  ],
  [
    'version: 1',
    ' version: 1',
    `1:2+7 ${syntax}: this line is indented by one space too many | indent this line by one space less`,
  ],
  [
    '  - id: upload',
    '  – id: upload',
    `10:3+1 ${syntax}: a list is written with the short dash - | write - id: upload`,
  ],
  [
    '  - id: upload\n    uses: files.upload\n    with',
    '  -id: upload\n   uses: files.upload\n   with',
    `10:3+1 ${syntax}: there is no space after the dash | write - id: upload`,
  ],
  [
    '      segmentFileName:',
    '    segmentFileName:',
    `16:5+15 ${syntax}: this line is indented by 2 spaces too few | indent this line by 2 spaces more`,
  ],
  // Expressions
  [
    NAME,
    'segmentName: {{ inputs.name }}',
    `18:20+17 error bare-braces: YAML reads {{ }} as a map | write "\${{ inputs.name }}", or quote text with braces`,
  ],
  [
    'steps.upload.outputs',
    'steps.up-load.outputs',
    '16:34+7 error unknown-name: up-load is read as up minus load | names have no hyphen: write upload',
  ],
  [
    `"\${{ inputs.file }}"`,
    '{{ inputs.file }}',
    `12:19+17 error bare-braces: YAML reads {{ }} as a map | write "\${{ inputs.file }}", or quote text with braces`,
  ],
  [
    NAME,
    `segmentName: \${ inputs.name }`,
    `18:20+16 warning bare-braces: \${ } is plain text here | write \${{ inputs.name }}`,
  ],
  [
    NAME,
    'segmentName: $inputs.name',
    `18:20+12 warning bare-braces: $inputs.name is plain text here | write \${{ inputs.name }}`,
  ],
  [
    NAME,
    `segmentName: \${{ inputs.name + "a }}`,
    `18:20+3 error expression-syntax: the expression is not closed by }} | write another " where the text ends`,
  ],
  [
    NAME,
    'segmentName: inputs.name',
    `18:20+11 warning bare-name: inputs.name is plain text here | write "\${{ inputs.name }}"`,
  ],
  [
    '${{ steps.upload.outputs.name }}',
    'steps.upload.outputs.name',
    `16:24+25 warning bare-name: steps.upload.outputs.name is plain text here | write "\${{ steps.upload.outputs.name }}"`,
  ],
  [NAME, `segmentName: \${{ name }}`, '18:24+4 error unknown-name: name is not known here | write inputs.name'],
  [
    NAME,
    `segmentName: \${{ string(len(inputs.name)) }}`,
    '18:31+3 error unknown-function: there is no function len | it is string|list|map.size()',
  ],
  [
    NAME,
    `segmentName: \${{ inputs.name.toLowercase() }}`,
    '18:36+11 error unknown-function: there is no method toLowercase | it is string.lowerAscii()',
  ],
  [
    'steps.upload.outputs.name',
    'steps.upload.name',
    '16:41+4 error unknown-field: name is not a field of step upload | write steps.upload.outputs.name',
  ],
  [
    SEGMENT,
    atSegment(`if: \${{ inputs.name }} != "A"`),
    `14:9+25 error not-an-expression: if must be one whole expression | write \${{ inputs.name != "A" }}`,
  ],
  [
    SEGMENT,
    atSegment(`if: \${{ inputs.name in ("A", "B") }}`),
    '14:32+1 error expression-syntax: not a valid expression: expected ), got , | write a list in brackets: in [a, b]',
  ],
  // Values
  ['version: 1', 'version: "1"', '1:10+3 error wrong-value: version must be 1 | write 1 without quotes'],
  [
    'type: string, default: People',
    'type: str, default: People',
    '5:17+3 error wrong-value: type must be one of string, integer, number, boolean, file, date, enum, list | did you mean string?',
  ],
  [
    'default: People }',
    'default: People }\n  count: { type: integer, default: "100" }',
    '6:36+5 error wrong-value: default must be an integer | write 100 without quotes',
  ],
  [
    'type: string, default: People',
    'type: enum, default: People',
    '5:3+4 error missing-key: the enum name has no values | values: [A, B]',
  ],
  [
    'id: segment',
    'id: my-segment',
    '13:9+10 error wrong-value: id must begin with a letter from a to z, followed by letters, digits and _ | write my_segment',
  ],
  [
    'name: nightly',
    'name: My Pipeline',
    '2:7+11 error wrong-value: name must begin with a lower-case letter or a digit, followed by lower-case letters, digits, - and _ | write my-pipeline',
  ],
  [
    'name: nightly',
    'name: nightly\nenv: { TOKEN: x }',
    '3:6+12 error wrong-type: env must be a list | write only the names: [TOKEN]',
  ],
  [
    'default: People }',
    'default: People }\n  day: { type: date, default: 2026-31-01 }',
    '6:31+10 error wrong-value: default must be a date such as 2026-01-31 | did you mean 2026-01-31?',
  ],
  [
    'default: People }',
    'default: People }\n  ids: { type: list, default: [1, 2] }',
    '6:32+1 error wrong-value: default[0] must be a string | quote each item, or declare items: integer',
  ],
  [
    'participantSegmentId: people',
    'participantSegmentId: 01',
    '17:29+2 error leading-zero: the integer 01 begins with a zero | write 1, or "01" for text',
  ],
  [SCHEDULE, 'cron: "0 2 * * *"', '8:5+4 error unknown-key: cron is not known here | indent it under schedule'],
  [SCHEDULE, 'schedule: "0 2 * * *"', '8:15+11 error wrong-type: schedule must be a map | write { cron: "0 2 * * *" }'],
  [SCHEDULE, 'watch: inbox', '8:12+5 error wrong-type: watch must be a map | write { path: inbox }'],
  [SEGMENT, atSegment('needs: upload'), '14:12+6 error wrong-type: needs must be a list | write [upload]'],
  [SEGMENT, atSegment('retry: 3'), '14:12+1 error wrong-type: retry must be a map | write { maxAttempts: 3 }'],
  [SEGMENT, atSegment('forEach: [a, b]'), '14:14+6 error wrong-type: forEach must be a map | write { items: [a, b] }'],
  [
    SEGMENT,
    atSegment(`forEach: \${{ ["a"] }}`),
    `14:14+12 error wrong-type: forEach must be a map | write { items: '\${{ ["a"] }}' }`,
  ],
  [
    SEGMENT,
    atSegment('forEach: inputs.names'),
    `14:14+12 error wrong-type: forEach must be a map | write { items: "\${{ inputs.names }}" }`,
  ],
  [
    SEGMENT,
    atSegment('timeout: 12 hours'),
    '14:14+8 error wrong-value: timeout must be a duration such as 500ms, 30s, 15m, 2h or 7d | write 12h',
  ],
  [
    '    uses: files.upload',
    '    needs: [segment]\n    uses: files.upload',
    '11:12+9 error needs-circle: the steps wait for each other: upload → segment → upload (→ means needs) | remove one of these needs; segment has none, so it needs the step above it; write needs: [] to change that',
  ],
  [
    SCHEDULE,
    `${SCHEDULE}\n    if: \${{ trigger.dte == "2026-01-01" }}`,
    '9:21+3 error unknown-field: dte is not a field of a schedule trigger | did you mean date?',
  ],
  [
    SEGMENT,
    atSegment(`if: \${{ inputs.name.size() => 5 }}`),
    '14:32+1 error expression-syntax: not a valid expression: unexpected = | write >= for at least, or map(item, value) for a macro',
  ],
  [
    SEGMENT,
    atSegment(`if: \${{ has("inputs.name") }}`),
    '14:17+13 error wrong-argument: has() asks whether a field is there, such as has(last.outputs), but this is not a field | write has(inputs.name)',
  ],
  [
    SEGMENT,
    atSegment('needs: (upload, list)'),
    '14:12+14 error wrong-type: needs must be a list | write [upload, list]',
  ],
  [
    SEGMENT,
    atSegment(`expect: \${{ outputs.segmentId != "" }}`),
    '14:13+30 error wrong-type: expect must be a list | write [{ check: \'${{ outputs.segmentId != "" }}\' }]',
  ],
  [
    'file: { type: file, default: people.csv }',
    'file: people.csv',
    '4:9+10 error wrong-type: file must be a map | write { type: file, default: people.csv }',
  ],
  [
    'name: { type: string, default: People }',
    'name: string',
    '5:9+6 error wrong-type: name must be a map | write { type: string }',
  ],
  [
    'name: { type: string, default: People }',
    'name: New people',
    '5:9+10 error wrong-type: name must be a map | write { type: string, default: "New people" }',
  ],
  [
    'name: { type: string, default: People }',
    'name: 7',
    '5:9+1 error wrong-type: name must be a map | write { type: integer, default: 7 }',
  ],
  [
    'Europe/Berlin',
    'UTC+2',
    '8:46+5 error wrong-value: there is no time zone UTC+2 | write Etc/GMT-2, which has the opposite sign, or a place, such as Europe/Berlin',
  ],
  [
    SEGMENT,
    atSegment(`if: \${{ inputs.name contains "x" }}`),
    '14:25+8 error expression-syntax: not a valid expression: unexpected contains | write inputs.name.contains("x")',
  ],
  [
    '    uses: files.upload',
    '    run: files.upload',
    '11:5+3 error unknown-key: run is not known here | write uses instead of run',
  ],
  [SEGMENT, atSegment('when: always'), '14:5+4 error unknown-key: when is not known here | write if instead of when'],
  [
    SEGMENT,
    atSegment('depends-on: [upload]'),
    '14:5+10 error unknown-key: depends-on is not known here | write needs instead of depends-on',
  ],
  [
    'id: segment',
    'id: 2',
    '13:9+1 error wrong-type: id must begin with a letter from a to z, followed by letters, digits and _',
  ],
  [
    SCHEDULE,
    'schedule: { cron: "0 2 * * *", exclude: { dates: [2026-31-12] } }',
    '8:55+10 error wrong-value: there is no day 2026-31-12 | did you mean 2026-12-31?',
  ],
  [
    SCHEDULE,
    'schedule: { cron: "0 2 * * *", exclude: { dates: [2026-12-1] } }',
    '8:55+9 error wrong-value: this must be a date such as 2026-12-25 | did you mean 2026-12-01?',
  ],
  ['version: 1', 'version: "3.8"', '1:10+5 error wrong-value: version must be 1 | write 1 without quotes'],
  [
    'triggers:',
    'on:',
    '6:1+2 error unknown-key: on is not known at the top of a pipeline | write triggers instead of on',
  ],
  [
    'steps.upload.outputs',
    'steps.up-lo-ad.outputs',
    '16:34+8 error unknown-name: up-lo-ad is read as up minus lo minus ad | names have no hyphen: write upload',
  ],
  [
    SEGMENT,
    atSegment('needs:\n      -upload'),
    '15:7+7 error wrong-type: needs must be a list | write a short dash and a space before each item: - upload',
  ],
  [
    SEGMENT,
    atSegment('if: ${{ always() }}'),
    '14:13+6 error unknown-function: there is no function always | a step under finally always runs; a step under onFailure runs after a failure',
  ],
  [
    NAME,
    `segmentName: \${{ inputs.name || "People" }}`,
    '18:39+8 error expression-type: a boolean is needed here, but this is a string | write default(value, other value)',
  ],
  [
    'name: nightly\n',
    'name: nightly\ndescription: |\nEach night\n',
    `4:1+10 ${syntax}: the text of description is not indented | indent it by 2 spaces`,
  ],
  [
    'name: nightly',
    'name:\u00a0nightly',
    `2:6+1 ${syntax}: this character looks like a space, but YAML does not read it as one | type a space with the space bar`,
  ],
  [
    'inputs:\n  file: { type: file, default: people.csv }\n  name: { type: string, default: People }',
    'inputs:\n  - { name: file, type: file }\n  - { name: name, type: string }',
    '4:3+28 error wrong-type: inputs must be a map | begin each with its name instead of a dash: file: …',
  ],
  [
    SEGMENT,
    atSegment('when: always').replace('when', 'timeout-minutes'),
    '14:5+15 error unknown-key: timeout-minutes is not known here | write timeout instead of timeout-minutes',
  ],
  ['    with: {', '    With: {', '12:5+4 error unknown-key: With is not known here | did you mean with?'],
  [
    'participantSegmentId: people',
    'ParticipantSegmentid: people',
    '17:7+20 error unknown-key: segments.create does not take ParticipantSegmentid | did you mean participantSegmentId?',
  ],
  [
    'participantSegmentId: people',
    'participantSegmentId: ["people]',
    `17:30+8 ${syntax}: the quote " is not closed on its line | write another " where the text ends`,
  ],
  [
    'with: { file: "${{ inputs.file }}", ',
    'with: { file: "${{ inputs.file }}, ',
    `12:19+62 ${syntax}: the quote " is not closed on its line | write another " where the text ends`,
  ],
  [
    NAME,
    'segmentName: *people',
    '18:20+7 error unknown-alias: there is no complete anchor &people before this alias | if it is text, quote it: "*people"',
  ],
  [
    NAME,
    'segmentName: "${{ inputs.name }}}"',
    '18:39+1 warning bare-braces: the third } is plain text here | leave it out',
  ],
  [
    '{ type: file, default',
    '{ type: file; default',
    `4:17+5 ${syntax}: there is no comma before default | write file, default: …`,
  ],
  [
    'default: People }',
    'defualt: People }',
    '5:25+7 error unknown-key: defualt is not known here | did you mean default?',
  ],
  [SEGMENT, atSegment('timeout: 1h30m'), `14:14+5 ${duration} | write 90m`],
  [SEGMENT, atSegment('timeout: 2 weeks'), `14:14+7 ${duration} | write 14d`],
])('%s: %s', (right, wrong, expected) => {
  expect(DOCUMENT).toContain(right)
  const text = DOCUMENT.replace(right!, () => wrong!)
  expect(loadPipeline({ text, file: 'p.yaml', stepTypes }).diagnostics.map(written)).toEqual([expected])
})

test('a variable of the shell as an address is an error that says how to read it from the environment', () => {
  const text = 'version: 1\nname: tell\nsteps: [{ id: tell, uses: notify.webhook, with: { url: $HOOK, text: done } }]\n'
  expect(loadPipeline({ text, file: 'p.yaml', stepTypes: realTypes }).diagnostics.map(written)).toEqual([
    `3:56+5 error wrong-value: url must begin with http:// or https:// | write "\${{ env.HOOK }}", with HOOK under env at the top`,
  ])
})

test('braces of JSON around an expression are no mistake', () => {
  const text = DOCUMENT.replace(NAME, `segmentName: '{"a": \${{ inputs.name }}}'`)
  expect(text).toContain('}}}')
  expect(loadPipeline({ text, file: 'p.yaml', stepTypes }).diagnostics).toEqual([])
})

test('inputs that are a list, and steps that are a map, are one error each', () => {
  const listed = DOCUMENT.replace('  file: {', '  - file: {').replace('  name: {', '  - name: {')
  expect(loadPipeline({ text: listed, file: 'p.yaml', stepTypes }).diagnostics.map(written)).toEqual([
    expect.stringMatching(/error wrong-type: inputs must be a map \| leave the dashes out$/),
  ])
  const mapped = DOCUMENT.replace(/ {2}- id: (upload|segment)\n/g, '  $1:\n')
  expect(loadPipeline({ text: mapped, file: 'p.yaml', stepTypes }).diagnostics.map(written)).toEqual([
    expect.stringMatching(/error wrong-type: steps must be a list \| begin each item with a dash: - id: upload$/),
  ])
})

test('a line that the parser reads as thousands of maps in each other is one error', () => {
  const text = `version: 1\nsteps:\n  - with: {${' a: b'.repeat(18_000)}\n`
  expect(loadPipeline({ text, file: 'p.yaml', stepTypes }).diagnostics.map(written)).toEqual([
    '1:1 error too-deep: the document is nested more than 50 levels deep',
  ])
})

test('a rule between fields is not broken because the name of one of them is mistyped', () => {
  const text = `${DOCUMENT}  - id: match
    uses: matches.create
    with: { segmentId: "\${{ steps.segment.outputs.segmentId }}", groupid: 9001, deliveryScopes: [CABLE], shareSegmentName: false, accessBgIds: false }
`
  expect(loadPipeline({ text, file: 'p.yaml', stepTypes }).diagnostics.map(written)).toEqual([
    expect.stringMatching(/ error unknown-key: matches.create does not take groupid \| did you mean groupId\?$/),
  ])
})

test('no further repair is tried once enough texts were parsed', () => {
  let asked = 0
  const lines = Array.from({ length: 1000 }, () => '  - "')
  const firstError = () => {
    asked += 1
    return 'gaveUp' as const
  }
  expect(likelyRepair(lines, 999, firstError)).toBeUndefined()
  expect(asked).toBe(1)
})
