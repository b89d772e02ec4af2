import { parseAst } from 'rolldown/parseAst'

/** One small change of a source file that its tests should notice. */
export interface Mutant {
  /** The replaced part, as offsets in the text. */
  readonly start: number
  readonly end: number
  readonly text: string
  /**
   * The expression or statement that contains the change. The code can contain it twice, side by side: once with the
   * change and once without.
   */
  readonly whole: Whole
  /**
   * If the change is outside all functions: the beginnings of all function bodies in the file, because any of them may
   * use it.
   */
  readonly usedBy: readonly Place[]
}

interface Whole {
  readonly start: number
  readonly end: number
  readonly isStatement: boolean
  /** The statement that begins with it. A bracket there would call the expression before it. */
  readonly begun?: { readonly start: number; readonly end: number }
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

type Part = Pick<Node, 'start' | 'end'>
/** Replaces a part of an expression or statement that can have two forms. */
type Replace = (part: Part, text: string, whole: Node) => void

/** The code that contains a node: the function, the statement, and the chain (`a?.b.c`) that it belongs to. */
interface Around {
  readonly place?: Place
  readonly statement?: Node
  readonly chain?: Node
}

/** A bound that is off by one, a sign, an inverted comparison. */
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

const METHODS = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
])
/** Calls that change only which items exist, or their order. */
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
  const walk = (node: Node, around: Around): void => {
    if (node.type.startsWith('TS') && !('expression' in node)) return
    if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration' || node.operator === 'delete') return
    const { place } = around
    const statement = node.type === 'ExpressionStatement' ? node : around.statement
    const replace: Replace = ({ start, end }, text, whole) => {
      if (source.slice(start, end) === text) return
      const isStatement = whole.type === 'ExpressionStatement' || whole.type === 'ThrowStatement'
      const begun = !isStatement && statement?.start === whole.start ? statement : undefined
      const { start: from, end: to } = whole
      made.push({ start, end, text, whole: { start: from, end: to, isStatement, begun }, usedBy: place ? [] : all })
    }
    change(node, source, around.chain ?? node, replace)
    const body = bodyOf(node)
    const inside = body ? placeOf(body) : place
    if (body && inside) all.push(inside)
    const chain = node.type === 'ChainExpression' ? node : around.chain
    for (const child of childrenOf(node).filter((each) => each !== node.key || node.computed)) {
      const isInChain = child === node.expression || child === node.callee || child === node.object
      walk(child, { place: child === body ? inside : place, statement, chain: isInChain ? chain : undefined })
    }
  }
  for (const node of parseAst(source, { lang: 'ts' }).body) walk(node as unknown as Node, {})
  return made.filter(
    ({ text }, at) => made.findIndex((one) => isSame(one, made[at] as Mutant) && one.text === text) === at,
  )
}

/**
 * Only a whole chain can be replaced: if a part of it were in brackets, that part could no longer end the chain early.
 */
function change(node: Node, source: string, chain: Node, replace: Replace): void {
  const textOf = (part: unknown) => source.slice((part as Node).start, (part as Node).end)
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      for (const text of ['true', 'false']) replace(node.test as Node, text, node.test as Node)
      break
    case 'WhileStatement':
      replace(node.test as Node, 'false', node.test as Node)
      break
    case 'LogicalExpression':
      replace(node, enclosed(textOf(node.left)), node)
      replace(node, enclosed(textOf(node.right)), node)
      break
    case 'BinaryExpression':
    case 'AssignmentExpression': {
      const changed = OPERATORS[node.operator as string]
      const between = { start: (node.left as Node).end, end: (node.right as Node).start }
      if (changed !== undefined) replace(between, textOf(between).replace(node.operator as string, changed), node)
      break
    }
    case 'UnaryExpression':
      if (node.operator === '!') replace(node, textOf(node.argument), node)
      break
    case 'AwaitExpression':
      replace(node, textOf(node.argument), node)
      break
    case 'ExpressionStatement':
    case 'ThrowStatement':
      replace(node, ';', node)
      break
    case 'MemberExpression':
      if (node.optional) replace(node, textOf(node).replace('?.[', '[').replace('?.', '.'), chain)
      break
    case 'CallExpression':
      changeCall(node, textOf, (part, text) => replace(part, text, chain))
      break
    case 'Literal':
      changeLiteral(node, source, (part, text) => replace(part, text, node))
      break
    case 'TemplateLiteral':
      changeSql(node, source, (part, text) => replace(part, text, node))
  }
}

type ReplaceInside = (part: Part, text: string) => void

function changeCall(node: Node, textOf: (part: unknown) => string, replace: ReplaceInside): void {
  const callee = node.callee as Node
  if (callee.type !== 'MemberExpression' || callee.computed) return
  const property = callee.property as Node
  const name = textOf(property)
  const other = METHODS.get(name)
  if (other !== undefined) replace(property, other)
  if (NARROWING.has(name)) replace(node, textOf(callee.object))
}

/** A number becomes sixty times as large, as with a wrong unit. */
function changeLiteral(node: Node, source: string, replace: ReplaceInside): void {
  const { value } = node
  if (typeof value === 'boolean') replace(node, String(!value))
  if (typeof value === 'number') replace(node, value === 0 ? '1' : value === 1 ? '0' : `${60 * value}`)
  if (typeof value === 'string') changeSql(node, source, replace)
}

/** Not in the expressions of a template: they are code. */
function changeSql(node: Node, source: string, replace: ReplaceInside): void {
  if (!SQL.test(source.slice(node.start, node.end))) return
  for (const part of (node.quasis as readonly Node[] | undefined) ?? [node])
    for (const [pattern, changed] of SQL_CHANGES)
      for (const { index, 0: found } of source.slice(part.start, part.end).matchAll(pattern))
        replace({ start: part.start + index, end: part.start + index + found.length }, changed)
}

/** Adds brackets if the text needs them as an operand of the surrounding expression. */
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
