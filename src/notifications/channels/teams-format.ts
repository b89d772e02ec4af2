import { stringifyJson } from '../../core/json.ts'
import type { Message } from '../message.ts'

/**
 * The body for a Teams workflow that begins with "When a Teams webhook request is received": a message with an Adaptive
 * Card. It uses rich text, which shows the text as written; text blocks would read `_` and `*` as Markdown.
 */
export function teamsBody({ title, facts, link, paragraphs, next }: Message): string {
  return stringifyJson({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          fallbackText: title,
          msteams: { width: 'Full' },
          body: [
            richText([{ text: title, weight: 'Bolder', size: 'Medium' }]),
            ...facts.map(([label, value]) => richText([{ text: `${label}: `, weight: 'Bolder' }, { text: value }])),
            ...paragraphs.map((text) => richText([{ text }])),
            ...(next.length > 0 ? [richText([{ text: 'What to do next', weight: 'Bolder' }])] : []),
            ...next.map((text) => richText([{ text, fontType: 'Monospace' }])),
          ],
          actions:
            link === undefined ? undefined : [{ type: 'Action.OpenUrl', title: 'Open in the console', url: link }],
        },
      },
    ],
  })
}

interface TextRun {
  readonly text: string
  readonly weight?: 'Bolder'
  readonly size?: 'Medium'
  readonly fontType?: 'Monospace'
}

function richText(runs: readonly TextRun[]) {
  return { type: 'RichTextBlock', inlines: runs.map((run) => ({ type: 'TextRun', ...run })) }
}
