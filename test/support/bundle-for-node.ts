import { build } from 'vite'

const SOURCES = new URL('../../src/', import.meta.url).pathname

/**
 * The programs of threads in src. A thread is started by Node itself, and Node 20 reads no
 * TypeScript.
 */
export async function bundleThreadPrograms(): Promise<void> {
  const program = 'foundation/markdown/markdown-thread'
  await bundleForNode({ [program]: program }, SOURCES)
}

/**
 * Makes programs from modules of src, so that plain Node can run them in another process or thread.
 */
export async function bundleForNode(
  programs: Readonly<Record<string, string>>,
  folder: string,
): Promise<void> {
  const input = Object.entries(programs).map(([name, module]) => [name, `${SOURCES}${module}.ts`])
  await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: true,
      target: 'node20',
      minify: false,
      outDir: folder,
      emptyOutDir: false,
      copyPublicDir: false,
      rolldownOptions: {
        input: Object.fromEntries(input),
        output: { entryFileNames: '[name].js' },
      },
    },
  })
}
