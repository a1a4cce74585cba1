export const USUAL_COMMAND = 'npx schoolgate'

/**
 * How the command is typed on this installation, for messages to its operator. A constant of the
 * process, like its version, because messages are made everywhere; config.ts checks the value.
 */
export const COMMAND = process.env.SCHOOLGATE_COMMAND || USUAL_COMMAND

/** A command inside a sentence. */
export const commandText = (args: string): string => `\`${COMMAND} ${args}\``
