import { grouped } from '../core/format/figures.ts'
import { absentParts } from '../expressions/absent.ts'
import { MAX_TEXT, MAX_UNITS } from '../expressions/budget.ts'
import type { FunctionDefinition, Parameter } from '../expressions/function-definition.ts'
import { findOverload } from '../expressions/operators.ts'
import { EXPRESSION_LIMITS } from '../expressions/parse.ts'
import { KIND_NAMES, type Kind } from '../expressions/value.ts'
import { code, page, table } from './markdown.ts'

/** The page on the expression language: names, operators, functions in groups, limits. */
export function expressionsPage(
  groups: readonly { title: string; functions: readonly FunctionDefinition[] }[],
): string {
  return page(
    '# Expressions',
    [
      'The text between `${{` and `}}` is an expression in the Common Expression Language (CEL) with the functions below. A value that is',
      'one whole expression keeps its type; text with expressions in it is text. `if` and `check` take one whole expression',
      'that is true or false. `audience validate` checks the types, so that a misspelt field is found before anything runs.',
    ].join('\n'),
    '## Names',
    table(['name', 'what it is', 'where'], ROOTS),
    [
      'A step can refer to the steps that it needs, directly or through others. An environment variable can be read only',
      'when it is declared under `env`, and not where its value would be recorded.',
    ].join('\n'),
    '## Literals',
    table(['kind', 'example'], LITERALS),
    'An integer has 64 bits; a result that does not fit is an error. Inside quotes in YAML, use the other kind of quotes for texts.',
    '## Operators',
    table(['operator', 'what it does', 'between'], operatorRows()),
    [
      'Operators bind as in most languages: `.` and `[]`, then `!` and `-`, then `*` `/` `%`, then `+` `-`, then comparisons',
      'and `in`, then `&&`, then `||`, then `? :`. Integers and numbers do not mix in arithmetic; convert with `double()` or',
      '`int()`. A missing field is an error; check with `has()`, or give a value for that case with `default()`.',
    ].join('\n'),
    ...groups.flatMap(({ title, functions }) => [
      `## ${title}`,
      table(['function', 'what it gives', 'example', 'result'], functions.map(functionRow)),
    ]),
    '## Parts of CEL that are absent',
    [
      'The tests run the official conformance suite of CEL against this language: every expression that it accepts must give the result',
      'that the suite expects. The language leaves out these parts on purpose; `validate` refuses them as `expression-unsupported`.',
    ].join('\n'),
    table(['part', 'such as', 'instead'], absentParts.map(absentRow)),
    [
      'Two more things differ. `validate` refuses to compare two texts that are never equal. An integer and a number compare',
      'exactly, while other implementations of CEL may round the integer first.',
    ].join('\n'),
    '## Limits',
    table(['limit on', 'at most'], LIMITS),
    [
      'A unit is about one operation, one item of a list or eight characters of text. The limit on units makes an expression end within a',
      'tenth of a second wherever it runs. Exceeding a limit is an error of the document, or of the step.',
    ].join('\n'),
  )
}

const ROOTS = [
  ['`inputs.NAME`', 'An input of the run.', 'everywhere except in a trigger'],
  [
    '`variables.NAME`',
    'A value that the run computed when it began.',
    'steps, outputs; in `variables`, only the variables above',
  ],
  [
    '`steps.ID.outputs`',
    'The outputs of a step; for a step with forEach, a list. In a forEach over several steps, the outputs of the step for the same item.',
    'steps, outputs',
  ],
  [
    '`steps.ID.outputs[0].key`, `.index`, `.status`, `.error`, `.steps.ID`',
    'For a forEach over several steps: an item, and the outputs of a step for that item.',
    'steps outside the forEach, outputs',
  ],
  ['`steps.ID.status`', '`succeeded`, `failed`, `skipped` or `cancelled`.', 'steps, outputs'],
  ['`outputs`', 'The outputs of this step.', '`check` and `message` of expect'],
  [
    '`last.outputs`',
    'The outputs of this step in the last run that succeeded; missing in the first run. In a forEach over several steps, for the item with the same key.',
    'steps',
  ],
  ['`last.steps.ID.outputs`', 'The same for another step.', 'steps, outputs'],
  ['`item`', 'The item of a forEach, or the name that its `as` gives.', 'a step with forEach, and steps inside it'],
  ['`index`', 'The position of the item in the list, counted from 0.', 'a step with forEach, and steps inside it'],
  ['`run.id`, `run.pipeline`, `run.startedAt`', 'The run.', 'steps, outputs'],
  ['`run.profile`', 'The profile under which it was started: `production`.', 'steps, outputs'],
  ['`run.failedStep`, `run.error`', 'The step that failed first, and why.', 'onFailure, finally'],
  ['`trigger.kind`', 'What started the run: `schedule`, `watch`, `run` (another pipeline) or `manual`.', 'everywhere'],
  ['`trigger.id`', 'The trigger of the document.', 'everywhere, if a trigger started the run'],
  ['`trigger.at`', 'The slot, or when the file was taken, in UTC.', 'everywhere, if a trigger started the run'],
  [
    '`trigger.date`, `trigger.time`, `trigger.timezone`',
    'The slot in the time zone of the schedule: `2026-11-21`, `02:00`, and the zone.',
    'everywhere, if a schedule started the run',
  ],
  ['`trigger.file`', 'The path of the file that was dropped.', 'everywhere, if a watch started the run'],
  [
    '`trigger.name`, `trigger.size`, `trigger.modifiedAt`, `trigger.sha256`',
    'The name of the file, its size in bytes, its modification time and the SHA-256 of its content. For a set of files: its name, the total size, the newest time and one SHA-256 for all contents.',
    'everywhere, if a watch started the run',
  ],
  ['`env.NAME`', 'An environment variable that the document declares.', '`with`, `if` and `check` of steps'],
] as const

const LITERALS = [
  ['string', '`"auto"` or `\'auto\'`'],
  ['integer', '`9001`'],
  ['number', '`0.5`'],
  ['boolean', '`true`, `false`'],
  ['null', '`null`'],
  ['list', '`[1, 2]`'],
  ['map', '`{"name": "auto", "size": 3}`'],
] as const

const ARITHMETIC = {
  '+': 'Adds, or joins.',
  '-': 'Subtracts.',
  '*': 'Multiplies.',
  '/': 'Divides; for integers, the fraction is cut off.',
  '%': 'The remainder of a division.',
  '<': 'Less than; for texts, earlier in the order of their characters. Also `<=`, `>` and `>=`.',
} as const

const OTHER_OPERATORS = [
  ['`==`, `!=`', 'Equal, or not.', 'any two values that can be equal'],
  [
    '`&&`, `||`, `!`',
    'And, or, not. If one side alone decides the result, an error in the other does not matter.',
    'booleans',
  ],
  ['`? :`', 'One of two values.', 'a boolean, then any two values'],
  ['`in`', 'Whether a list has the item, or a map the key.', 'any value and a list; string and map'],
  ['`.name`, `["name"]`, `[0]`', 'A field of a map, an item of a list.', 'map; list and integer'],
  ['`-`', 'The negative.', 'integer; number'],
] as const

const LIMITS = [
  ['characters of an expression', grouped(EXPRESSION_LIMITS.length)],
  ['parts (names, literals, operators, calls)', grouped(EXPRESSION_LIMITS.nodes)],
  ['depth of nesting', grouped(EXPRESSION_LIMITS.depth)],
  ['items of a list that is written out', grouped(EXPRESSION_LIMITS.listItems)],
  ['entries of a map that is written out', grouped(EXPRESSION_LIMITS.mapEntries)],
  ['arguments of a call', grouped(EXPRESSION_LIMITS.arguments)],
  ['characters of a text that an expression makes', grouped(MAX_TEXT)],
  ['units of work', grouped(MAX_UNITS)],
] as const

/** Takes the valid combinations of kinds from the operators themselves. */
function operatorRows(): (readonly string[])[] {
  const kinds = Object.keys(KIND_NAMES).filter((kind): kind is Kind => kind !== 'dyn')
  const rows = Object.entries(ARITHMETIC).map(([operator, meaning]) => {
    const pairs = kinds.flatMap((left) =>
      kinds.filter((right) => findOverload(operator, left, right)).map((right) => pairText(left, right)),
    )
    return [code(operator), meaning, pairs.join('; ')]
  })
  return [...rows, ...OTHER_OPERATORS]
}

function pairText(left: Kind, right: Kind): string {
  return left === right ? `two ${KIND_NAMES[left]}s` : `${KIND_NAMES[left]} and ${KIND_NAMES[right]}`
}

function functionRow(definition: FunctionDefinition): string[] {
  const { name, receiver, parameters, returns, description, example } = definition
  const call = `${name}(${parameters.map(parameterText).join(', ')})`
  const signature = receiver ? `${receiver.map((kind) => KIND_NAMES[kind]).join('|')}.${call}` : call
  const results = typeof returns === 'string' ? [returns] : returns
  return [
    `${code(signature)} → ${results.map((kind) => KIND_NAMES[kind]).join(' or ')}`,
    description,
    code(example.expression),
    example.result,
  ]
}

function absentRow({ what, examples, instead }: (typeof absentParts)[number]): string[] {
  return [what, examples.map(code).join(', '), instead]
}

function parameterText({ name, kinds, optional }: Parameter): string {
  const types = kinds.map((kind) => KIND_NAMES[kind]).join('|')
  return `${name}${optional ? '?' : ''}${types === KIND_NAMES.dyn ? '' : `: ${types}`}`
}
