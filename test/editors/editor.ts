import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { getLanguageService, type Position } from 'yaml-language-server'
import { root } from '../support/audience.ts'

/** An editor with the YAML language server, as people see it. */
export interface Editor {
  /** The completions at the `|` in the text, by label. */
  complete(text: string): Promise<Offer[]>
  /** The hover text at the `|` in the text, as plain text. */
  hover(text: string): Promise<string>
  /** The marked problems: `line:column message`, counted from 1. */
  problems(text: string): Promise<string[]>
}

interface Offer {
  readonly label: string
  readonly documentation: string
}

/** Opens an editor that finds the schema as real editors do: through the comment at the top of the document. */
export function openEditor(): Editor {
  const service = getLanguageService({
    schemaRequestService: async (uri) => readFileSync(fileURLToPath(uri), 'utf8'),
    workspaceContext: { resolveRelativePath: (path, resource) => new URL(path, resource).href },
  })
  service.configure({ validate: true, hover: true, completion: true, hoverSchemaSource: false })
  let opened = 0
  const open = (text: string) => {
    // The server caches by the URI of a document, so each document has its own.
    opened += 1
    return TextDocument.create(pathToFileURL(`${root}/pipelines/opened-${opened}.yaml`).href, 'yaml', 1, text)
  }
  const openAt = (marked: string): [TextDocument, Position] => {
    const document = open(marked.replace('|', ''))
    return [document, document.positionAt(marked.indexOf('|'))]
  }
  return {
    async complete(text) {
      const { items } = await service.doComplete(...openAt(text), false)
      return items.map(({ label, documentation }) => ({ label, documentation: plain(documentation) }))
    },
    async hover(text) {
      const hover = await service.doHover(...openAt(text))
      return plain(hover?.contents)
    },
    async problems(text) {
      const problems = await service.doValidation(open(text), false)
      return problems.map(({ range, message }) => `${range.start.line + 1}:${range.start.character + 1} ${message}`)
    },
  }
}

/** Markup without escapes and line breaks. */
function plain(content: unknown): string {
  const text = typeof content === 'object' && content !== null && 'value' in content ? String(content.value) : content
  return typeof text === 'string'
    ? text
        .replaceAll('&nbsp;', ' ')
        .replaceAll(/\\(?=[^\w\s])/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim()
    : ''
}
