import type { ExpressionCode } from './expression-codes.ts'

/** A part of CEL that the language leaves out on purpose, as data. The reference page lists these parts. */
interface AbsentPart {
  /** In the plural, for `… are not part of the language`. */
  readonly what: string
  readonly examples: readonly string[]
  /** What to write instead, and why that is enough. */
  readonly instead: string
}

const PARTS = {
  unsigned: {
    what: 'unsigned integers',
    examples: ['1u', 'uint(1)'],
    instead: 'an integer is signed and has 64 bits; write 1',
  },
  bytes: {
    what: 'bytes',
    examples: ['b"a"', 'bytes("a")', 'base64.encode(b"a")'],
    instead: 'values are JSON, which has no bytes; use a string',
  },
  messages: {
    what: 'protobuf messages and enums',
    examples: ['Name{id: 1}', 'google.protobuf.Duration'],
    instead: 'values are JSON, which has no messages; write a map such as {"id": 1}',
  },
  types: {
    what: 'types as values',
    examples: ['type(inputs.n) == int', 'dyn(inputs.n)'],
    instead: 'leave this out: validate checks the types that it knows before the run',
  },
  mapKeys: {
    what: 'map keys other than strings',
    examples: ['{1: "a"}', '{true: "a"}'],
    instead: 'the keys of JSON are strings; write {"1": "a"}',
  },
  optionals: {
    what: 'optional values',
    examples: ['last.?outputs', '[?inputs.a]', 'optional.of(1)'],
    instead: 'has() asks whether a field is there, default() gives a value where it is not',
  },
  twoVariables: {
    what: 'macros with two variables',
    examples: ['list.all(index, item, item > index)', 'map.transformMap(key, value, value + 1)'],
    instead: 'a macro has one variable, the item of a list or the key of a map',
  },
  namespaces: {
    what: 'functions with a namespace',
    examples: ['math.greatest(1, 2)', 'strings.quote("a")', 'cel.bind(n, 1, n + n)', 'proto.getExt(a, b)'],
    instead: 'functions have no prefix here: max([1, 2]), abs(-1)',
  },
  textExtras: {
    what: 'lastIndexOf(), reverse(), and the second argument of indexOf()',
    examples: ['"a/b".lastIndexOf("/")', '"a-b".indexOf("-", 1)'],
    instead: 'use split() and join(), substring() or fileName()',
  },
  spellings: {
    what: 'names in backticks, and names and numbers that begin with a dot',
    examples: ['.5', '.inputs.n'],
    instead: 'write inputs["a-b"], 0.5 and inputs.n',
  },
} as const satisfies Readonly<Record<string, AbsentPart>>

export const absentParts: readonly AbsentPart[] = Object.values(PARTS)

export interface AbsentProblem {
  readonly code: ExpressionCode
  readonly message: string
  readonly hint: string
}

/** The problem with a literal that only CEL has. */
export const absentLiteral = (value: unknown) => problem(value instanceof Uint8Array ? PARTS.bytes : PARTS.unsigned)

export const absentMapKey = () => problem(PARTS.mapKeys)

/** The problem with an unknown name that CEL would know. */
export const absentName = (name: string) => find(NAMES, name)

/** The problem with an unknown function or method that CEL would know. */
export const absentFunction = (name: string) => find(FUNCTIONS, name)

/** The problem with a call that has one argument too many, if CEL has an overload that takes it. */
export const absentOverload = (name: string) => find(OVERLOADS, name)

/** The problem with syntax that only CEL has; the parser stopped at `at`. */
export function absentSyntax(source: string, at: number): AbsentProblem | undefined {
  const [before, after] = [source.slice(0, at).trimEnd(), source.slice(at)]
  if (/^["']/.test(after) && /\b(br|rb)$/i.test(before)) return problem(PARTS.bytes)
  if (after.startsWith('{') && /\b[A-Za-z_]\w*$/.test(before)) return problem(PARTS.messages)
  if (after.startsWith('?') && /[.[{,]$/.test(before)) return problem(PARTS.optionals)
  if (after.startsWith('`') || (/^\.\s*\w/.test(after) && !/[\w.\])}"']$/.test(before))) return problem(PARTS.spellings)
  return undefined
}

function problem({ what, instead }: AbsentPart): AbsentProblem {
  return { code: 'expression-unsupported', message: `${what} are not part of the language`, hint: instead }
}

function find(parts: Readonly<Record<string, AbsentPart>>, name: string): AbsentProblem | undefined {
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined
  return part && problem(part)
}

const NAMES: Readonly<Record<string, AbsentPart>> = {
  ...each('bool bytes double int list map null_type string type uint', PARTS.types),
  ...each('cel math proto strings', PARTS.namespaces),
  base64: PARTS.bytes,
  google: PARTS.messages,
  optional: PARTS.optionals,
}

const FUNCTIONS: Readonly<Record<string, AbsentPart>> = {
  ...each('dyn type', PARTS.types),
  ...each('hasValue optFlatMap optMap or orValue', PARTS.optionals),
  ...each('transformList transformMap transformMapEntry', PARTS.twoVariables),
  ...each('lastIndexOf reverse', PARTS.textExtras),
  bytes: PARTS.bytes,
  uint: PARTS.unsigned,
}

const OVERLOADS: Readonly<Record<string, AbsentPart>> = {
  ...each('all exists exists_one existsOne', PARTS.twoVariables),
  ...each('indexOf', PARTS.textExtras),
}

function each(names: string, part: AbsentPart): Record<string, AbsentPart> {
  return Object.fromEntries(names.split(' ').map((name) => [name, part]))
}
