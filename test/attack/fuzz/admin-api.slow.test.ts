import { sendStrangeInput } from '../../flows/admin-api/strange-input.ts'

// `npm run attack` sends every value to every field.
sendStrangeInput(6)
