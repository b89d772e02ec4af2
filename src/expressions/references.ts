import { bindsVariable } from './macros.ts'
import type { Node } from './parse.ts'

/** A name that an expression reads, and the path of fields read from it. */
interface Reference {
  /** Such as `steps`. */
  readonly root: string
  /** `["seg", "outputs"]` for `steps.seg.outputs` and `steps["seg"].outputs`; undefined stands for a computed field. */
  readonly path: readonly (string | undefined)[]
}

/** What an expression reads and calls, taken from its tree. */
export interface References {
  /** In the order in which they occur. Variables that a macro binds are left out, whatever their names. */
  readonly reads: readonly Reference[]
  /** The functions that it calls, without methods and the variables of macros: `failure`, not `x.failure`. */
  readonly calls: ReadonlySet<string>
}

/** Collects what a parsed expression refers to. */
export function referencesIn(node: Node): References {
  const reads: Reference[] = []
  const calls = new Set<string>()
  collect(node, { reads, calls, bound: new Set() })
  return { reads, calls }
}

/** Whether an expression reads the name `root`. */
export function readsRoot({ reads }: References, root: string): boolean {
  return reads.some((reference) => reference.root === root)
}

interface Collected {
  readonly reads: Reference[]
  readonly calls: Set<string>
  /** The variables of the macros around the node. */
  readonly bound: ReadonlySet<string>
}

function collect(node: Node, into: Collected): void {
  switch (node.op) {
    case 'value':
      break
    case 'id':
    case '.':
    case '.?':
    case '[]':
    case '[?]':
      collectPath(node, into)
      break
    case 'call':
      into.calls.add(node.args[0])
      collectAll(node.args[1], into)
      break
    case 'rcall':
      collectMethod(node, into)
      break
    case 'map':
      collectAll(node.args.flat(), into)
      break
    case '!_':
    case '-_':
      collect(node.args, into)
      break
    default:
      collectAll(node.args, into)
  }
}

function collectAll(nodes: readonly Node[], into: Collected): void {
  for (const node of nodes) collect(node, into)
}

/**
 * A path that begins with a name is one reference; each index on the path is an expression of its own. Optional fields
 * (`.?`) are treated like others, although the parser refuses them today.
 */
function collectPath(node: Node, into: Collected): void {
  const path: (string | undefined)[] = []
  let at = node
  while (true) {
    if (at.op === '.' || at.op === '.?') path.unshift(at.args[1])
    else if (at.op === '[]' || at.op === '[?]') {
      const [, index] = at.args
      path.unshift(index.op === 'value' && typeof index.args === 'string' ? index.args : undefined)
      collect(index, into)
    } else break
    at = at.args[0]
  }
  if (at.op !== 'id') collect(at, into)
  else if (!into.bound.has(at.args)) into.reads.push({ root: at.args, path })
}

/** In `list.map(n, n + 1)` the first argument is a variable. It is bound only in the other arguments. */
function collectMethod({ args: [name, receiver, args] }: Node & { op: 'rcall' }, into: Collected): void {
  collect(receiver, into)
  const [first, ...rest] = args
  if (!bindsVariable(name) || first?.op !== 'id') collectAll(args, into)
  else collectAll(rest, { ...into, bound: new Set([...into.bound, first.args]) })
}
