declare module 'virtual:perp-worker' {
    /** the worker's program, packed by gzip, in base64 */
    const text: string;
    export default text;
}
declare module '*.css';
