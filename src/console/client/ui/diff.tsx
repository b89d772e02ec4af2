import type { DiffLine } from '../api/types.ts'
import { ScrollArea } from './scroll-area.tsx'

const SIGNS = { same: ' ', removed: '−', added: '+' } as const

/** The differences between two texts, with the lines around them. */
export function Diff({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  return (
    <ScrollArea class="code diff" label={label}>
      <table>
        <tbody>
          {lines.map((line, index) => (
            <tr key={index} class={isAfterGap(lines[index - 1], line) ? `${line.kind} after-gap` : line.kind}>
              <td class="line-number">{line.before}</td>
              <td class="line-number">{line.after}</td>
              <td>
                <span class="sign">{SIGNS[line.kind]}</span>
                {line.kind !== 'same' && <span class="hidden">{line.kind}: </span>}
                {line.text}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  )
}

function isAfterGap(last: DiffLine | undefined, line: DiffLine): boolean {
  if (last?.after !== undefined && line.after !== undefined) return line.after > last.after + 1
  if (last?.before !== undefined && line.before !== undefined) return line.before > last.before + 1
  return false
}
