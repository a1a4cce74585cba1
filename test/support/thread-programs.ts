import { build } from 'vite'

/** The programs of threads in src. A thread is started by Node itself, and Node 20 reads no TypeScript. */
const PROGRAMS = ['foundation/markdown/markdown-thread']

/** Compiles them beside their sources, as `npm run build` does in dist. */
export async function compileThreadPrograms(): Promise<void> {
  const folder = new URL('../../src/', import.meta.url).pathname
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
        input: Object.fromEntries(PROGRAMS.map((name) => [name, `${folder}${name}.ts`])),
        output: { entryFileNames: '[name].js' },
      },
    },
  })
}
