import type { Node } from './parse.ts'

/** A name with hyphens, which the parser takes for subtractions: `look-up` in `steps.look-up.outputs`. */
export interface HyphenedName {
  readonly parts: readonly string[]
  /** What the name is a field of, such as `steps`. */
  readonly owner: Node
  readonly start: number
  readonly end: number
}

/** Finds one in a subtraction whose sides touch the sign, if nothing of what is subtracted is a known name. */
export function hyphenedName(node: Node, isKnown: (name: string) => boolean): HyphenedName | undefined {
  if (node.op === '.') {
    const [owner, name] = node.args
    return { parts: [name], owner, start: node.end - name.length, end: node.end }
  }
  if (node.op !== '-') return undefined
  const left = hyphenedName(node.args[0], isKnown)
  const rest = firstName(node.args[1])
  if (!left || !rest || rest.start !== left.end + 1 || isKnown(rest.name)) return undefined
  return { ...left, parts: [...left.parts, rest.name], end: rest.start + rest.name.length }
}

/** The name that an expression such as `up.outputs.groups` begins with; in `2.outputs` the number. */
function firstName(node: Node): { readonly name: string; readonly start: number } | undefined {
  if (node.op === 'id') return { name: node.args, start: node.start }
  if (node.op !== '.') return undefined
  const [owner] = node.args
  if (owner.op === 'value' && typeof owner.args === 'bigint') return { name: String(owner.args), start: owner.start }
  return firstName(owner)
}
