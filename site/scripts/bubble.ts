/** Shows a text beside the pointer, inside the picture. An empty text hides it. */
export function showBubble(
  bubble: HTMLElement,
  text: string,
  left: number,
  top: number,
  width: number,
): void {
  bubble.hidden = text === '';
  if (bubble.hidden) return;
  bubble.textContent = text;
  bubble.style.left = `${Math.max(0, Math.min(left + 12, width - bubble.offsetWidth))}px`;
  bubble.style.top = `${top + 16}px`;
}
