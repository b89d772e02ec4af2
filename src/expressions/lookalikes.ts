import { parseExpression } from './parse.ts'

/** Text that looks like an expression but is not; `start` and `end` are offsets in the text that contains it. */
export interface Lookalike {
  /** For example `{{ }}`. */
  readonly form: string
  /** The expression that was probably meant. */
  readonly meant: string
  readonly start: number
  readonly end: number
}

/** The names that an expression can begin with. */
const ROOTS = 'inputs|variables|steps|trigger|env|outputs|last|run|item'
const FORMS = new RegExp(
  String.raw`(?<open>\$?\{\{?)(?<inner>[^{}]{0,200})(?<close>\}{0,2})|\$(?<name>(?:${ROOTS})(?:\.\w+)+)`,
  'g',
)
const BEGINS_WITH_ROOT = new RegExp(String.raw`^\s*(?:${ROOTS})\.`)

/** Finds `{{ a }}`, `${ a }`, `{ inputs.a }` and `$inputs.a`, which other languages write for `${{ inputs.a }}`. */
export function lookalikesIn(text: string): readonly Lookalike[] {
  const found: Lookalike[] = []
  for (const { 0: whole, index: start, groups = {} } of text.matchAll(FORMS)) {
    const { open, inner = '', close, name } = groups
    const end = start + whole.length
    if (name !== undefined) found.push({ form: whole, meant: asWritten(name), start, end })
    else if (open !== '{' || beginsWithRoot(inner)) {
      found.push({ form: `${open} ${close}`.trim(), meant: asWritten(inner.trim()), start, end })
    }
  }
  return found
}

/** Whether a text begins as an expression can: with `inputs.`, `steps.` and so on. */
export function beginsWithRoot(text: string): boolean {
  return BEGINS_WITH_ROOT.test(text)
}

function asWritten(source: string): string {
  if (/^[A-Z_][A-Z0-9_]*$/.test(source)) return `\${{ env.${source} }}`
  const isExpression = source !== '' && !('problem' in parseExpression(source))
  return isExpression ? `\${{ ${source} }}` : `\${{ … }}`
}
