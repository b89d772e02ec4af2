import { useEffect, useRef } from 'preact/hooks'
import { yamlTokens } from '../format/yaml-tokens.ts'
import { ScrollArea } from './scroll-area.tsx'

const CLASSES = { key: 'accent-text', text: 'good', comment: 'muted', expression: 'wait', value: 'busy', plain: '' }

/** A YAML document with line numbers. Marks the lines `from` to `to`, counted from 1, and scrolls to the first one. */
export function DocumentText({ text, from = 0, to = 0 }: { text: string; from?: number; to?: number }) {
  const frame = useRef<HTMLElement>(null)
  const first = useRef<HTMLLIElement>(null)
  useEffect(() => {
    // Scrolls only this frame and not the page.
    if (frame.current && first.current)
      frame.current.scrollTop = first.current.offsetTop - frame.current.clientHeight / 3
  }, [from])
  return (
    <ScrollArea class="code" label="Document" frame={frame}>
      <ol>
        {text
          .replace(/\n$/, '')
          .split('\n')
          .map((line, index) => {
            const isMarked = index + 1 >= from && index + 1 <= to
            return (
              <li key={index} class={isMarked ? 'marked' : undefined} ref={index + 1 === from ? first : null}>
                {yamlTokens(line).map((token, at) => (
                  <span key={at} class={CLASSES[token.kind]}>
                    {token.text}
                  </span>
                ))}
              </li>
            )
          })}
      </ol>
    </ScrollArea>
  )
}
