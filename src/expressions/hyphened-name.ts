import type { ExpressionProblem, Node } from './parse.ts'

/** A name with a hyphen, which the parser takes for a subtraction: `steps.look-up`. `isKnown`: of what is subtracted. */
export function hyphenedName(
  [left, right]: readonly [Node, Node],
  isKnown: (name: string) => boolean,
): ExpressionProblem | undefined {
  const rest = firstName(right)
  if (left.op !== '.' || !rest || rest.start !== left.end + 1 || isKnown(rest.name)) return undefined
  const name = left.args[1]
  return {
    code: 'unknown-name',
    message: `${name}-${rest.name} is read as ${name} minus ${rest.name}`,
    hint: `names have no hyphen: write ${name}_${rest.name}`,
    start: left.end - name.length,
    end: rest.start + rest.name.length,
  }
}

/** The name that an expression such as `up.outputs.groups` begins with. */
function firstName(node: Node): { readonly name: string; readonly start: number } | undefined {
  if (node.op === 'id') return { name: node.args, start: node.start }
  return node.op === '.' ? firstName(node.args[0]) : undefined
}
