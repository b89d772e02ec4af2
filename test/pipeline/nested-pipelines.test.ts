import { expect, test } from 'vitest'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { stepTypes } from '../../src/steps/index.ts'

const leaf = (inputs: string) => `version: 1
name: leaf
inputs: { ${inputs} }
steps:
  - { id: a, uses: groups.list }
`

const calling = (file: string, inputs = '') => `version: 1
name: caller
inputs:
  id: { type: integer, default: 1 }
steps:
  - id: call
    uses: pipelines.run
    with: { file: ${file}${inputs && `, inputs: { ${inputs} }`} }
`

/** The problems of /p/main.yaml among other documents. */
function problems(documents: Readonly<Record<string, string>>): string[] {
  const { diagnostics } = loadPipeline({
    text: documents['/p/main.yaml']!,
    file: '/p/main.yaml',
    stepTypes,
    readDocument: (path) => (documents[path] === undefined ? undefined : { text: documents[path] }),
  })
  return diagnostics.map(
    ({ at, code, message, hint }) => `${at?.line}:${at?.column} ${code}: ${message}${hint ? ` (${hint})` : ''}`,
  )
}

test('what approval.wait, matches.ensure and run.fail take is checked', () => {
  const text = `version: 1
name: caller
steps:
  - id: ask
    uses: approval.wait
    with: { timeout: soon, approvers: [ann, ann], comment: always }
  - id: again
    uses: approval.wait
    with: { timeout: "\${{ 5 }}", approvers: [], comment: required }
  - id: match
    uses: matches.ensure
    with:
      segmentId: s
      groupId: 9001
      deliveryScopes: [CABLE]
      shareSegmentName: false
      accessBgIds: false
      testControl: { controlHoldoutPercent: 10 }
    await: false
  - id: other
    uses: matches.ensure
    with: { segmentId: s, groupId: 1, deliveryScopes: [CABLE], shareSegmentName: false, accessBgIds: false, testControl: {} }
  - id: third
    uses: matches.ensure
    with:
      segmentId: s
      groupId: 9002
      deliveryScopes: [CABLE]
      shareSegmentName: false
      accessBgIds: false
      testControl: { controlHoldoutPercent: 101, holdout: 5, shaveOffPercent: "\${{ 'x' }}" }
  - { id: stop, uses: run.fail, continueOnError: true, with: { message: " " } }
  - { id: end, uses: run.fail }
`
  expect(problems({ '/p/main.yaml': text })).toEqual([
    '6:22 wrong-value: timeout must be a duration such as 500ms, 30s, 15m, 2h or 7d',
    '6:39 wrong-value: approvers has the same item twice',
    '6:60 wrong-value: comment must be one of optional, required',
    '9:27 expression-type: a string is needed here, but the expression gives an integer (convert it: string(…))',
    '9:45 wrong-value: approvers must not be empty',
    '19:5 wrong-value: testControl can be done only after the job of the step has ended (leave await: false out)',
    '22:122 wrong-value: testControl must not be empty',
    '31:20 unknown-key: matches.ensure does not take testControl.holdout (known here: shaveOffPercent, controlHoldoutPercent)',
    '31:45 wrong-value: testControl.controlHoldoutPercent must be at most 100',
    '31:84 expression-type: an integer is needed here, but the expression gives a string (convert it: int(…))',
    '32:33 wrong-value: run.fail ends the run as failed, and continueOnError lets it go on (leave continueOnError out)',
    '32:73 wrong-value: message must not be blank',
    '33:22 missing-input: run.fail needs message (message: The reason, for people who read about the failure.)',
  ])
})

test.each<[string, Readonly<Record<string, string>>, string[]]>([
  [
    'inputs that fit',
    {
      '/p/main.yaml': calling('sub/leaf.yaml', 'n: 3, s: x'),
      '/p/sub/leaf.yaml': leaf('n: { type: integer }, s: { type: string }'),
    },
    [],
  ],
  [
    'an expression of the right type',
    { '/p/main.yaml': calling('leaf.yaml', 'n: "${{ inputs.id }}"'), '/p/leaf.yaml': leaf('n: { type: integer }') },
    [],
  ],
  [
    'an expression of the wrong type',
    { '/p/main.yaml': calling('leaf.yaml', 's: "${{ inputs.id }}"'), '/p/leaf.yaml': leaf('s: { type: string }') },
    [expect.stringMatching(/^8:\d+ expression-type: /) as unknown as string],
  ],
  [
    'a value of the wrong type',
    { '/p/main.yaml': calling('leaf.yaml', 'n: many'), '/p/leaf.yaml': leaf('n: { type: integer }') },
    ['8:43 wrong-value: n must be an integer'],
  ],
  [
    'an input that is not given',
    { '/p/main.yaml': calling('leaf.yaml'), '/p/leaf.yaml': leaf('n: { type: integer }') },
    ['8:19 missing-input: the step call does not give the input n, which has no default'],
  ],
  [
    'an input that there is not',
    { '/p/main.yaml': calling('leaf.yaml', 'm: 1'), '/p/leaf.yaml': leaf('n: { type: integer, default: 1 }') },
    ['8:40 unknown-input: there is no input m (did you mean n?)'],
  ],
  [
    'objects that fit, written or computed',
    {
      '/p/main.yaml': calling('leaf.yaml', 'all: [{ id: a, n: 9007199254740993 }, { id: "${{ run.id }}", n: 2 }]'),
      '/p/leaf.yaml': leaf('all: { type: list, items: { id: string, n: integer } }'),
    },
    [],
  ],
  [
    'objects of another shape',
    {
      '/p/main.yaml': calling('leaf.yaml', 'all: "${{ inputs.all }}"').replace(
        'inputs:',
        'inputs:\n  all: { type: list, items: { id: string, n: string, cpm: number }, default: [] }',
      ),
      '/p/leaf.yaml': leaf(
        'all: { type: list, items: { id: string, n: integer, m: { type: date, default: 2026-01-01 } } }',
      ),
    },
    ['9:50 expression-type: n: an integer is needed here, but the expression gives a string (convert it: int(…))'],
  ],
  [
    'objects with a field too many, and with one too few',
    {
      '/p/main.yaml': calling('leaf.yaml', 'a: "${{ inputs.all }}", b: "${{ inputs.all }}"').replace(
        'inputs:',
        'inputs:\n  all: { type: list, items: { id: string, name: string }, default: [] }',
      ),
      '/p/leaf.yaml': leaf(
        'a: { type: list, items: { id: string } }, b: { type: list, items: { id: string, name: string, n: integer } }',
      ),
    },
    [
      '9:48 expression-type: a map without name is needed here (known here: id)',
      '9:72 expression-type: a map with n is needed here, but the expression gives one without it',
    ],
  ],
  [
    'a document that is not there',
    { '/p/main.yaml': calling('nowhere.yaml') },
    [
      '8:19 missing-pipeline: there is no pipeline at /p/nowhere.yaml (the path is relative to the folder of this document)',
    ],
  ],
  [
    'a document that is not valid',
    { '/p/main.yaml': calling('bad.yaml'), '/p/bad.yaml': 'version: 1\nname: bad\nsteps: []\nfoo: 1\n' },
    [
      expect.stringMatching(
        /^8:19 invalid-pipeline: bad\.yaml is not valid: \d errors \(audience validate bad\.yaml\)$/,
      ) as unknown as string,
    ],
  ],
  [
    'itself',
    { '/p/main.yaml': calling('main.yaml') },
    ['8:19 pipelines-circle: pipelines run each other in a circle: main.yaml → main.yaml (remove one of these steps)'],
  ],
  [
    'a circle of three',
    { '/p/main.yaml': calling('b.yaml'), '/p/b.yaml': calling('c.yaml'), '/p/c.yaml': calling('main.yaml') },
    [
      '8:19 pipelines-circle: pipelines run each other in a circle: main.yaml → b.yaml → c.yaml → main.yaml (remove one of these steps)',
    ],
  ],
])('a step that runs another pipeline: %s', (_name, documents, expected) => {
  expect(problems(documents)).toEqual(expected)
})
