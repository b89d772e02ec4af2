import { parseAst } from 'rolldown/parseAst'

/** One small change of a source file that its tests should notice. */
export interface Mutant {
  /** What is replaced, as offsets into the text. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** Where the bodies of functions begin that run if the change can matter: one, or all of the file. */
  readonly reachedBy: readonly Place[]
}

/** A function's body: a block, or an expression that ends at `end`. */
interface Place {
  readonly start: number
  readonly end?: number
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

type Replace = (node: { readonly start: number; readonly end: number }, text: string) => void

/** A bound that is off by one, a sign, a comparison that is the wrong way round. */
const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '+=': '-=',
  '-=': '+=',
  '??=': '=',
}

const METHODS: Readonly<Record<string, string>> = { some: 'every', every: 'some', min: 'max', max: 'min' }
/** Calls that change only which things there are, or their order. */
const NARROWING = new Set(['filter', 'sort', 'toSorted', 'slice', 'reverse', 'toReversed'])

const SQL = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b/
const SQL_CHANGES: readonly (readonly [RegExp, string])[] = [
  [/ AND /g, ' OR '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ = /g, ' <> '],
  [/ FOR (UPDATE|SHARE)( SKIP LOCKED)?/g, ''],
  [/ IS NULL/g, ' IS NOT NULL'],
  [/ IS NOT NULL/g, ' IS NULL'],
]

export function makeMutants(source: string): readonly Mutant[] {
  const made: Mutant[] = []
  const all: Place[] = []
  const walk = (node: Node, place: Place | undefined): void => {
    if (node.type.startsWith('TS') && !('expression' in node)) return
    if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return
    const replace: Replace = ({ start, end }, text) => {
      if (source.slice(start, end) !== text) made.push({ start, end, text, reachedBy: place ? [place] : all })
    }
    change(node, source, replace)
    const body = bodyOf(node)
    const inside = body ? placeOf(body) : place
    if (body && inside) all.push(inside)
    for (const child of childrenOf(node)) walk(child, child === body ? inside : place)
  }
  for (const node of parseAst(source, { lang: 'ts' }).body) walk(node as unknown as Node, undefined)
  return made.filter(
    ({ text }, at) => made.findIndex((one) => isSame(one, made[at] as Mutant) && one.text === text) === at,
  )
}

function change(node: Node, source: string, replace: Replace): void {
  const textOf = (part: unknown) => source.slice((part as Node).start, (part as Node).end)
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      replace(node.test as Node, 'true')
      replace(node.test as Node, 'false')
      break
    case 'WhileStatement':
      replace(node.test as Node, 'false')
      break
    case 'LogicalExpression':
      replace(node, enclosed(textOf(node.left)))
      replace(node, enclosed(textOf(node.right)))
      break
    case 'BinaryExpression':
    case 'AssignmentExpression': {
      const changed = OPERATORS[node.operator as string]
      const between = { start: (node.left as Node).end, end: (node.right as Node).start }
      if (changed !== undefined) replace(between, textOf(between).replace(node.operator as string, changed))
      break
    }
    case 'UnaryExpression':
      if (node.operator === '!') replace(node, textOf(node.argument))
      break
    case 'AwaitExpression':
      replace(node, textOf(node.argument))
      break
    case 'ExpressionStatement':
    case 'ThrowStatement':
      replace(node, ';')
      break
    case 'MemberExpression':
      if (node.optional) replace(node, textOf(node).replace('?.[', '[').replace('?.', '.'))
      break
    case 'CallExpression':
      changeCall(node, textOf, replace)
      break
    case 'Literal':
      changeLiteral(node, source, replace)
      break
    case 'TemplateLiteral':
      changeSql(node, source, replace)
  }
}

function changeCall(node: Node, textOf: (part: unknown) => string, replace: Replace): void {
  const callee = node.callee as Node
  if (callee.type !== 'MemberExpression' || callee.computed) return
  const property = callee.property as Node
  const name = textOf(property)
  const other = METHODS[name]
  if (other !== undefined) replace(property, other)
  if (NARROWING.has(name)) replace(node, textOf(callee.object))
}

/** A number gets sixty times as large, as with the wrong unit. */
function changeLiteral(node: Node, source: string, replace: Replace): void {
  const { value } = node
  if (typeof value === 'boolean') replace(node, String(!value))
  if (typeof value === 'number') replace(node, value === 0 ? '1' : value === 1 ? '0' : `${60 * value}`)
  if (typeof value === 'string') changeSql(node, source, replace)
}

function changeSql(node: Node, source: string, replace: Replace): void {
  const text = source.slice(node.start, node.end)
  if (!SQL.test(text)) return
  for (const [pattern, changed] of SQL_CHANGES)
    for (const { index, 0: found } of text.matchAll(pattern))
      replace({ start: node.start + index, end: node.start + index + found.length }, changed)
}

/** As an operand of what is around it. */
function enclosed(text: string): string {
  return text.includes(' ') ? `(${text})` : text
}

function bodyOf(node: Node): Node | undefined {
  const isFunction = /^(Function|ArrowFunction)/.test(node.type)
  return isFunction && isNode(node.body) ? node.body : undefined
}

function placeOf(body: Node): Place {
  return body.type === 'BlockStatement' || body.type === 'FunctionBody'
    ? { start: body.start + 1 }
    : { start: body.start, end: body.end }
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flat().filter(isNode)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function isSame(a: Mutant, b: Mutant): boolean {
  return a.start === b.start && a.end === b.end
}
