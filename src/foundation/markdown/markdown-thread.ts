import { parentPort } from 'node:worker_threads'
import { renderMarkdown } from './render-markdown.ts'

/**
 * The program of the thread that `render-in-thread.ts` starts: a text comes, its HTML goes back.
 */
parentPort?.on('message', (text: string) => parentPort?.postMessage(renderMarkdown(text)))
parentPort?.postMessage('ready')
