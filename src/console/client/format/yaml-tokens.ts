type YamlKind = 'key' | 'text' | 'comment' | 'expression' | 'value' | 'plain'

export interface YamlToken {
  readonly kind: YamlKind
  readonly text: string
}

const TOKEN =
  /(?<comment>(?:^|(?<=\s))#.*$)|(?<expression>\$\{\{.*?\}\})|(?<key>(?:"[^"]*"|'[^']*'|[\w.-]+)(?=:(?:\s|$)))|(?<text>"(?:[^"\\]|\\.)*"|'[^']*')|(?<value>(?<=[\s[{,:]|^)(?:true|false|null|-?\d+(?:\.\d+)?)(?=[\s,\]}]|$))/g

/** Splits one line of YAML into parts, only to colour them. Parts that it does not recognise are plain. */
export function yamlTokens(line: string): YamlToken[] {
  const tokens: YamlToken[] = []
  let end = 0
  for (const match of line.matchAll(TOKEN)) {
    if (match.index > end) tokens.push({ kind: 'plain', text: line.slice(end, match.index) })
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? 'plain'
    tokens.push({ kind: kind as YamlKind, text: match[0] })
    end = match.index + match[0].length
  }
  if (end < line.length) tokens.push({ kind: 'plain', text: line.slice(end) })
  return tokens
}
