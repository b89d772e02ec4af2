import { OperationError } from './failure.ts'
import { type FunctionCall, textAt } from './function-definition.ts'

/** Positions in a text. CEL counts characters; JavaScript counts two units for a character beyond U+FFFF. */

export function contains(call: FunctionCall): boolean {
  call.spend(1 + (textAt(call, 0).length >> 3))
  return textAt(call, 0).includes(textAt(call, 1))
}

export function indexOf(call: FunctionCall): bigint {
  const text = textAt(call, 0)
  call.spend(1 + (text.length >> 3))
  const found = text.indexOf(textAt(call, 1))
  let pairs = 0
  for (let at = 0; at < found; at++) if (isPair(text, at)) pairs++
  return BigInt(found - pairs)
}

export function substring(call: FunctionCall): string {
  const start = offsetAt(call, 1)
  const end = call.args.length > 2 ? offsetAt(call, 2) : undefined
  if (end !== undefined && start > end) throw new OperationError(OUTSIDE)
  return textAt(call, 0).slice(start, end)
}

export function charAt(call: FunctionCall): string {
  const text = textAt(call, 0)
  const offset = offsetAt(call, 1)
  return text.slice(offset, offset + (isPair(text, offset) ? 2 : 1))
}

/** The offset, in units, for an argument that counts characters. */
function offsetAt(call: FunctionCall, index: number): number {
  const text = textAt(call, 0)
  const characters = Number(call.args[index])
  if (characters < 0 || characters > text.length) throw new OperationError(OUTSIDE)
  call.spend(1 + (characters >> 3))
  let offset = 0
  for (let passed = 0; passed < characters; passed++) {
    if (offset >= text.length) throw new OperationError(OUTSIDE)
    offset += isPair(text, offset) ? 2 : 1
  }
  return offset
}

const OUTSIDE = 'the position is outside the text'

function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff
}
