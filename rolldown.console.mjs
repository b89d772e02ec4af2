import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const client = join(import.meta.dirname, 'src/console/client')
const STYLES = ['tokens', 'base', 'shell', 'controls', 'content', 'dialogs', 'charts']

/** The page, its styles and its icon. The names of files have hashes, so that browsers may keep them. */
const page = {
  name: 'console-page',
  generateBundle(_options, bundle) {
    const styles = STYLES.map((name) => readFileSync(join(client, `styles/${name}.css`), 'utf8')).join('\n')
    const names = {
      __STYLE__: emitHashed(this, 'style', 'css', withoutSpace(styles)),
      __ICON__: emitHashed(this, 'icon', 'svg', readFileSync(join(client, 'icon.svg'), 'utf8')),
      __MAIN__: Object.values(bundle)
        .find((chunk) => chunk.isEntry)
        .fileName.slice('assets/'.length),
    }
    const html = readFileSync(join(client, 'index.html'), 'utf8')
    const source = html.replaceAll(/__(?:STYLE|ICON|MAIN)__/g, (name) => names[name])
    this.emitFile({ type: 'asset', fileName: 'index.html', source })
  },
}

function emitHashed(context, name, type, source) {
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8)
  context.emitFile({ type: 'asset', fileName: `assets/${name}-${hash}.${type}`, source })
  return `${name}-${hash}.${type}`
}

/** CSS without comments and indentation. */
function withoutSpace(css) {
  return css
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s*\n\s*/g, '')
    .replaceAll(/\s*([{};])\s*/g, '$1')
    .replaceAll(/: +/g, ':')
    .replaceAll(/;}/g, '}')
}

/** The client of the web console: `dist/console/index.html` and `dist/console/assets/`. */
export const consoleClient = {
  input: { main: 'src/console/client/main.tsx' },
  platform: 'browser',
  plugins: [page],
  output: {
    dir: 'dist/console',
    format: 'esm',
    minify: true,
    // These say what may be left out to those who bundle it again, and nobody does.
    comments: false,
    entryFileNames: 'assets/[name]-[hash].js',
    chunkFileNames: 'assets/[name]-[hash].js',
  },
}
