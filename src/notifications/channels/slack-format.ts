import { stringifyJson } from '../../core/json.ts'
import { type Message, shortened } from '../message.ts'

/** The maximum length of a header that Slack accepts, in UTF-16 units. */
const MAX_HEADER = 150
/** The maximum length of a text that keeps a message under Slack's limits. */
const MAX_TEXT = 3000

/**
 * The body for an incoming Slack web hook: blocks, with a plain `text` for notifications on a screen. It uses rich
 * text, which shows the text as written, because Slack's own markup has no escape for `*`, `_` and backticks.
 */
export function slackBody({ title, facts, link, paragraphs, next }: Message): string {
  const lines = facts.map(([label, value], index) => [
    text(`${index === 0 ? '' : '\n'}${label}: `, { bold: true }),
    text(value),
  ])
  return stringifyJson({
    text: escaped(title),
    mrkdwn: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: shortened(title, MAX_HEADER), emoji: false } },
      ...(facts.length > 0 ? [richText(section(...lines.flat()))] : []),
      ...paragraphs.map((paragraph) => richText(section(text(paragraph)))),
      ...(link === undefined ? [] : [richText(section({ type: 'link', url: link, text: 'Open in the console' }))]),
      ...(next.length > 0
        ? [
            richText(section(text('What to do next', { bold: true })), {
              type: 'rich_text_preformatted',
              elements: [text(next.join('\n'))],
            }),
          ]
        : []),
    ],
  })
}

interface Part {
  readonly type: string
  readonly elements: readonly TextRun[]
}

type TextRun =
  | { readonly type: 'text'; readonly text: string; readonly style?: { readonly bold: true } | undefined }
  | { readonly type: 'link'; readonly text: string; readonly url: string }

function richText(...elements: readonly Part[]) {
  return { type: 'rich_text', elements }
}

function section(...elements: readonly TextRun[]): Part {
  return { type: 'rich_text_section', elements }
}

function text(written: string, style?: { bold: true }): TextRun {
  return { type: 'text', text: shortened(written, MAX_TEXT), style }
}

/** Without this, `<!channel>` in the name of a pipeline would alert everybody in the channel. */
function escaped(title: string): string {
  return title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
